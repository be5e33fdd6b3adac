/** The flags that say which policy holds; of these one. What people type comes first. */
export const POLICY_SOURCES = [
  "sandbox",
  "profile",
  "sandbox-policy",
  "sandbox-state-json",
] as const;

/** Whether the value of `--profile` is a file and not a name. */
export function isProfileFile(text: string): boolean {
  return /\.(toml|json)$|\//.test(text);
}
