/**
 * Which tools of a server may be called, and which are asked about first.
 *
 * They take something away, so they are kept for whoever calls tools to heed, and
 * a word in them that is not known is refused.
 */
import type { TomlTable } from "../read-toml-file.ts";
import { malformed, oneOf, tableOf, textOf } from "../table-of.ts";

/** `auto`: as the approval policy says. `prompt`: always asked. `approve`: never asked. */
export type ToolApproval = (typeof APPROVALS)[number];

export interface ToolRules {
  /** Where it is there, these and no others may be called. */
  readonly enabledTools?: readonly string[];
  /** May not be called, also where they are enabled. */
  readonly disabledTools?: readonly string[];
  readonly defaultToolApproval?: ToolApproval;
  readonly toolApprovals?: ReadonlyMap<string, ToolApproval>;
}

const APPROVALS = ["auto", "prompt", "approve"] as const;

/** The keys that {@link readToolRules} reads. */
export const TOOL_RULE_KEYS = [
  "enabled_tools",
  "disabled_tools",
  "default_tools_approval_mode",
  "tools",
];

/** Reads what the table of a server says about its tools. */
export function readToolRules(table: TomlTable, where: string): ToolRules {
  const { enabled_tools: enabled, disabled_tools: disabled, tools } = table;
  const usual = table.default_tools_approval_mode;
  const usualAt = `${where}.default_tools_approval_mode`;
  return {
    ...(enabled !== undefined && { enabledTools: namesOf(enabled, `${where}.enabled_tools`) }),
    ...(disabled !== undefined && { disabledTools: namesOf(disabled, `${where}.disabled_tools`) }),
    ...(usual !== undefined && { defaultToolApproval: oneOf(usual, APPROVALS, usualAt) }),
    ...(tools !== undefined && { toolApprovals: approvalsOf(tools, `${where}.tools`) }),
  };
}

function namesOf(value: unknown, where: string): readonly string[] {
  if (!Array.isArray(value)) throw malformed(where, "expected a list of names of tools");
  return value.map((name) => textOf(name, where));
}

function approvalsOf(value: unknown, where: string): ReadonlyMap<string, ToolApproval> {
  return new Map(
    Object.entries(tableOf(value, where)).map(([name, table]) => {
      const { approval_mode: mode = "auto", ...others } = tableOf(table, `${where}.${name}`);
      const stranger = Object.keys(others)[0];
      if (stranger !== undefined) {
        const what = `unknown key "${stranger}", expected "approval_mode" alone`;
        throw malformed(`${where}.${name}`, what);
      }
      return [name, oneOf(mode, APPROVALS, `${where}.${name}.approval_mode`)];
    }),
  );
}
