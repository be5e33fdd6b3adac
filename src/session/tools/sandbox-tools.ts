/**
 * The tools of a model that need a sandbox: input in, plain values out.
 *
 * A tool that cannot do what it was asked throws a {@link SessionError} in our
 * own words, which may be shown to the model; nothing that a provider or a
 * keeper of references said is in it.
 */
import type { SandboxCommands } from "../commands/sandbox-commands.ts";
import type { NetworkGrant } from "../effective-network.ts";
import { replacementNotice } from "../lifecycle/replacement-notice.ts";
import type { SandboxCalls } from "../lifecycle/sandbox-calls.ts";
import type { SandboxHolder } from "../lifecycle/sandbox-holder.ts";
import { Refusal, refusalOf } from "../refusal.ts";
import type { SessionClock } from "../session-clock.ts";
import type { SkillShelf } from "../skills/skill-shelf.ts";
import { attachFileTool } from "./attach-file-tool.ts";
import { bashTool } from "./bash-tool.ts";
import { editFileTool } from "./edits/edit-file-tool.ts";
import { grepTool } from "./grep/grep-tool.ts";
import { listDirTool } from "./list-dir-tool.ts";
import { readFileTool } from "./read-file-tool.ts";
import { refuseMisfits } from "./refuse-misfits.ts";
import type { Artifact, SandboxTool } from "./sandbox-tool.ts";
import { writeFileTool } from "./write-file-tool.ts";

export interface ToolCall {
  /** Such as `bash`. */
  readonly tool: string;
  /** As a model gave it: docs/sessions.md has the members for each tool. */
  readonly input: unknown;
  readonly signal: AbortSignal;
  /** Variables for a command, besides the fixed ones. */
  readonly env?: Readonly<Record<string, string>>;
  /** Domains that are open to a command while it runs. */
  readonly network?: readonly NetworkGrant[];
  /** Names of the caller for receipts. */
  readonly ids?: Readonly<Record<string, string>>;
  /** Files of the turn that are not in the sandbox, by name. */
  readonly artifact?: (name: string) => Artifact | undefined;
}

export interface ToolOutcome {
  /** Plain members. */
  readonly value: object;
  /** What the model has to know besides: that it has another sandbox than before. */
  readonly notice: string | null;
}

export interface ToolsParts {
  readonly holder: SandboxHolder;
  readonly calls: SandboxCalls;
  readonly commands: SandboxCommands;
  readonly clock: SessionClock;
  readonly skills: SkillShelf | undefined;
}

const TOOLS: readonly SandboxTool[] = [
  ...[bashTool, readFileTool, writeFileTool, editFileTool, grepTool, listDirTool, attachFileTool],
];

export class SandboxTools {
  readonly #parts: ToolsParts;

  constructor(parts: ToolsParts) {
    this.#parts = parts;
  }

  supports(name: string): boolean {
    return TOOLS.some((tool) => tool.name === name);
  }

  /** Does what a model asked for. */
  async execute(call: ToolCall): Promise<ToolOutcome> {
    const { holder, ...parts } = this.#parts;
    refuseNoCall(call);
    const { tool: name, input, signal } = call;
    const { env = {}, network = [], ids = {}, artifact = () => undefined } = call;
    const tool = TOOLS.find((one) => one.name === name);
    if (tool === undefined) throw unknownTool(name);
    refuseMisfits(name, call);
    try {
      const hasSandbox = () => holder.reference !== undefined && holder.reference !== null;
      const given = { signal, env, network, ids, artifact, hasSandbox };
      const value = await tool.run(input, { ...parts, ...given });
      return { value, notice: replacementNotice(holder) };
    } catch (error) {
      throw refusalOf(error, `run "${name}"`);
    }
  }
}

/** Types say it, and what a model asks for comes without. */
function refuseNoCall(call: unknown): void {
  if (typeof call === "object" && call !== null && "tool" in call) {
    if (typeof call.tool === "string") return;
  }
  const expected = 'expected an object whose "tool" is the name of one';
  throw new Refusal("invalidInput", `Cannot run a tool: the call names none, ${expected}`);
}

function unknownTool(name: string): Refusal {
  const known = TOOLS.map((tool) => tool.name).join(", ");
  const shown = JSON.stringify(name.slice(0, 100));
  return new Refusal(
    "unsupported",
    `Cannot run ${shown}: it is no such tool, expected one of ${known}`,
  );
}
