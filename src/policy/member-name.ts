/**
 * What messages call a member of a thing. Behind a file the first one stands apart: a file that is called
 * "config.toml.model" is not what cannot be read.
 */
export function memberName(thing: string, member: string): string {
  const isFile = thing.startsWith("/") && !thing.includes(": ");
  return isFile ? `${thing}: ${member}` : `${thing}.${member}`;
}
