/** The policies that attacks are tried under, as flags of `writ run`. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Place } from "./sandbox-user.ts";

export const MODES = [
  "read-only",
  "workspace-write",
  "restricted-read",
  "carve-out",
  "network-off",
  "network-on",
] as const;
export type Mode = (typeof MODES)[number];

/** In which the command may write to the workspace. */
export const WRITABLE_MODES = MODES.filter((mode) => mode !== "read-only");

const RESTRICTED_READ = `[filesystem]
":minimal" = "read"
[filesystem.":workspace_roots"]
"." = "write"
`;

/** `docs` is read, `docs/private` is hidden, `docs/private/public` is written. */
const CARVE_OUT = `extends = ":workspace"
[filesystem.":workspace_roots"]
"docs" = "read"
"docs/private" = "deny"
"docs/private/public" = "write"
`;

/** The flags of a mode; what it needs is laid out in the place. */
export function flagsOf(mode: Mode, { workspace, outside }: Place): string[] {
  switch (mode) {
    case "read-only":
    case "workspace-write":
      return ["--sandbox", mode];
    case "restricted-read":
      return profileFlags(outside, mode, RESTRICTED_READ);
    case "carve-out":
      mkdirSync(path.join(workspace, "docs/private/public"), { recursive: true });
      return profileFlags(outside, mode, CARVE_OUT);
    case "network-off":
      return ["--sandbox-policy", JSON.stringify({ type: "workspaceWrite", networkAccess: false })];
    case "network-on":
      return ["--sandbox", "workspace-write", "--network"];
  }
}

/** A profile of its own, in a file that no command can write. */
export function profileFlags(folder: string, name: string, toml: string): string[] {
  const file = path.join(folder, `${name}.toml`);
  writeFileSync(file, toml);
  return ["--profile", file];
}
