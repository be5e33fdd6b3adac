/** When a thread asks, as the user's file says it: a word, or a table of what may be asked about. */
import { malformed, oneOf, tableOf } from "../table-of.ts";

export type ApprovalSetting = (typeof WORDS)[number] | { readonly granular: GranularApproval };

export interface GranularApproval {
  readonly sandbox_approval: boolean;
  readonly rules: boolean;
  readonly mcp_elicitations: boolean;
  readonly skill_approval: boolean;
  readonly request_permissions: boolean;
}

const WORDS = ["untrusted", "on-request", "never"] as const;
const GRANULAR = [
  "sandbox_approval",
  "rules",
  "mcp_elicitations",
  "skill_approval",
  "request_permissions",
];

/** Reads `approval_policy`. A part of a table that is not known could be a refusal, so it is refused. */
export function readApprovalSetting(value: unknown, where: string): ApprovalSetting {
  if (value === "on-failure") {
    const what = '"on-failure" retries without the sandbox what the sandbox denied';
    throw malformed(where, `${what}, expected "on-request" or "never"`);
  }
  if (typeof value !== "object") return oneOf(value, WORDS, where);
  const { granular, ...others } = tableOf(value, where);
  refuseStrangers(others, [], where);
  const table = tableOf(granular, `${where}.granular`);
  refuseStrangers(table, GRANULAR, `${where}.granular`);
  const flag = (name: string, usual?: boolean) =>
    oneOf(name in table ? table[name] : usual, [true, false], `${where}.granular.${name}`);
  return {
    granular: {
      sandbox_approval: flag("sandbox_approval"),
      rules: flag("rules"),
      mcp_elicitations: flag("mcp_elicitations"),
      skill_approval: flag("skill_approval", false),
      request_permissions: flag("request_permissions", false),
    },
  };
}

function refuseStrangers(table: object, known: readonly string[], where: string): void {
  const stranger = Object.keys(table).find((key) => !known.includes(key));
  if (stranger === undefined) return;
  const expected = known.length === 0 ? '"granular" alone' : `one of ${known.join(", ")}`;
  throw malformed(where, `unknown key "${stranger}", expected ${expected}`);
}
