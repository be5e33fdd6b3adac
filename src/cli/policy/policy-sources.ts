/** The flags that say which policy holds; of these one. */
export const POLICY_SOURCES = [
  "sandbox-state-json",
  "sandbox",
  "sandbox-policy",
  "profile",
] as const;

/** Whether the value of `--profile` is a file and not a name. */
export function isProfileFile(text: string): boolean {
  return /\.(toml|json)$|\//.test(text);
}
