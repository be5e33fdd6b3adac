import type { CeilingVerdict } from "./ceiling.ts";

const CODEX_NAMES: Readonly<Record<string, string>> = {
  "read-only": "ReadOnly",
  "workspace-write": "WorkspaceWrite",
  "danger-full-access": "DangerFullAccess",
  "external-sandbox": "ExternalSandbox",
};

type Refusal = Extract<CeilingVerdict, { allowed: false }>;

/** The refusal in the sentence that Codex clients know. */
export function ceilingMessage(refusal: Refusal, spelling: "codex" | "plain"): string {
  const name = (word: string) =>
    spelling === "codex" ? (Object.hasOwn(CODEX_NAMES, word) ? CODEX_NAMES[word] : word) : word;
  const { field, candidate, allowedSet, source } = refusal;
  const allowed =
    field === "permissions.filesystem"
      ? allowedSet.join(", ")
      : `[${allowedSet.map(name).join(", ")}]`;
  return `invalid value for \`${field}\`: \`${name(candidate)}\` is not in the allowed set ${allowed} (set by ${source})`;
}
