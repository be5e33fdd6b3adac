/**
 * Names that stay read-only at the top of every writable root.
 *
 * A file that another program will run or trust later is a way out of the
 * sandbox, also when it does not exist yet. One list, one reason each.
 */
export interface ProtectedName {
  readonly name: string;
  readonly reason: string;
  /** Temporary folders belong to many programs; there only the names that Codex protects are kept. */
  readonly inTemporary: boolean;
}

export const PROTECTED_NAMES: readonly ProtectedName[] = [
  {
    name: ".git",
    reason: "hooks and configuration run with the next git command",
    inTemporary: true,
  },
  { name: ".agents", reason: "agents read their instructions and skills there", inTemporary: true },
  { name: ".codex", reason: "Codex reads configuration and rules there", inTemporary: true },
  { name: ".aws", reason: "holds credentials and commands that obtain them", inTemporary: true },
  { name: ".writ", reason: "writ reads policies there", inTemporary: false },
  { name: ".claude", reason: "Claude reads settings and hooks there", inTemporary: false },
  { name: ".vscode", reason: "tasks and settings run in the editor", inTemporary: false },
  { name: ".idea", reason: "run configurations run in the editor", inTemporary: false },
  { name: ".devcontainer", reason: "the editor builds and runs what it says", inTemporary: false },
  { name: ".mcp.json", reason: "names servers that agents start", inTemporary: false },
  { name: ".envrc", reason: "runs when a shell enters the folder", inTemporary: false },
  { name: "writ.toml", reason: "writ reads the project's policy there", inTemporary: false },
];

/** The four that Codex writes out as entries, so that parties without this list keep them too. */
export const CODEX_NAMES: readonly string[] = PROTECTED_NAMES.filter((one) => one.inTemporary).map(
  ({ name }) => name,
);
