/**
 * What has to be asked before a tool of an MCP server is called.
 *
 * Pure. What a server says of its tools is believed only against them: a tool of
 * which nothing is said may change anything, and so may one of which something
 * else is said than when the thread first saw it.
 */
import { createHash } from "node:crypto";
import type { Tool } from "@modelcontextprotocol/client";
import type { TurnFrame } from "../agent.ts";
import type { Ruling } from "../approvals/approval-rules.ts";
import type { ToolApproval } from "./mcp-server-settings.ts";

/** A tool as a thread knows it now. */
export interface KnownTool {
  readonly server: string;
  readonly tool: Tool;
  /** Names all that is said of it. */
  readonly digest: string;
  /** Whether it is not the tool that the thread first saw under this name. */
  readonly changed: boolean;
  /** What the configuration says of asking about it. */
  readonly approval: ToolApproval;
}

/** Whether a call runs, is asked about or is refused. */
export function judgeTool(known: KnownTool, { profile, approval }: TurnFrame): Ruling {
  const confined = profile.type !== "disabled";
  if (known.approval !== "prompt" && !(confined && mayHarm(known))) return { kind: "run" };
  if (approval === "never") return refusal(known, 'the approval policy is "never"');
  if (typeof approval === "string" || approval.granular.mcp_elicitations) return { kind: "ask" };
  return refusal(known, 'the approval policy has "mcp_elicitations" off');
}

/** Why a call is asked about, for whoever is asked. */
export function concernOf({ server, tool, changed, approval }: KnownTool): string {
  if (approval === "prompt") return `The configuration of MCP server "${server}" wants it asked`;
  if (changed) return `MCP server "${server}" describes this tool otherwise than at first`;
  if (tool.annotations?.readOnlyHint === undefined) {
    return `MCP server "${server}" does not say that this tool only reads`;
  }
  return `MCP server "${server}" says that this tool changes things`;
}

/** A digest of what a server says of a tool. */
export function digestOfTool({ name, title, description, inputSchema, annotations }: Tool): string {
  // A model is told the title of a tool that has no description.
  const said = [name, title ?? null, description ?? null, inputSchema, annotations ?? null];
  return createHash("sha256")
    .update(JSON.stringify(sorted(said)))
    .digest("hex");
}

/** What was approved, in the configuration too, is the tool as it was. */
function mayHarm({ tool, changed, approval }: KnownTool): boolean {
  return changed || !(approval === "approve" || onlyReads(tool));
}

/** The stricter word counts where a server says both. */
function onlyReads({ annotations }: Tool): boolean {
  return annotations?.readOnlyHint === true && annotations.destructiveHint !== true;
}

function refusal(known: KnownTool, why: string): Ruling {
  const { server, tool } = known;
  const what = `call tool "${tool.name}" of MCP server "${server}"`;
  const message = `Cannot ${what}: ${concernOf(known)} and ${why}, expected one that lets it be asked for`;
  return { kind: "refuse", message };
}

/** The same whatever order a server writes members in. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return members.map(([name, member]) => [name, sorted(member)]);
}
