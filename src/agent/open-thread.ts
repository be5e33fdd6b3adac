/**
 * What works in one thread while it is loaded.
 *
 * It owns what outlives a turn: the processes that go on, the tools of the
 * thread and what was accepted or granted for the session.
 */
import { randomUUID } from "node:crypto";
import type { ThreadAgent } from "./agent.ts";
import type { AgentClock } from "./agent-clock.ts";
import { ThreadApprovals } from "./approvals/thread-approvals.ts";
import { clientTools } from "./client/client-tools.ts";
import { commandTools } from "./commands/command-tools.ts";
import type { ThreadProcess } from "./commands/kept-commands.ts";
import { runShellCommand } from "./commands/run-shell-command.ts";
import { type CommandVariables, ThreadCommands } from "./commands/thread-commands.ts";
import { fileTools } from "./files/file-tools.ts";
import type { Models } from "./model/model.ts";
import { permissionTools } from "./permissions/permission-tools.ts";
import { ThreadGrants } from "./permissions/thread-grants.ts";
import { ThreadSandbox, type ThreadSandboxParts } from "./sandbox/thread-sandbox.ts";
import { runLoadSkill, skillTools } from "./skills/skill-tools.ts";
import { ThreadSkills, type ThreadSkillsParts } from "./skills/thread-skills.ts";
import type { ToolCall, ToolContext, ToolOutcome, ToolSource } from "./tools/tool.ts";
import type { ToolBounds } from "./tools/tool-bounds.ts";
import { Toolbox } from "./tools/toolbox.ts";
import { runTurn } from "./turn/run-turn.ts";
import { TurnVoice } from "./turn/turn-voice.ts";
import type { TurnFrame } from "./turn-frame.ts";
import type { TurnEnd, TurnPort } from "./turn-port.ts";
import type { ShellRequest, TurnRequest } from "./turn-request.ts";

export interface OpenThreadParts extends Omit<ThreadSandboxParts, "shelf"> {
  readonly skills: ThreadSkillsParts;
  readonly variables: CommandVariables;
  readonly models: Models;
  readonly tools: readonly ToolSource[];
  readonly clock: AgentClock;
}

interface Work {
  readonly turn: string;
  readonly frame: TurnFrame;
  run(context: ToolContext): Promise<TurnEnd>;
}

export class OpenThread implements ThreadAgent {
  readonly #parts: OpenThreadParts;
  readonly #sandbox: ThreadSandbox;
  readonly #commands: ThreadCommands;
  readonly #tools: Toolbox;
  readonly #grants: ThreadGrants;
  readonly #skills: ThreadSkills;
  readonly #bounds: ToolBounds;
  readonly #approvals: ThreadApprovals;
  readonly #closing = new AbortController();
  readonly #work = new Set<Promise<unknown>>();
  #hasTurn = false;

  constructor(parts: OpenThreadParts) {
    this.#parts = parts;
    this.#skills = new ThreadSkills(parts.skills);
    const sandbox = new ThreadSandbox({ ...parts, shelf: this.#skills.shelf });
    this.#sandbox = sandbox;
    this.#approvals = new ThreadApprovals((frame) => sandbox.executorFor(frame));
    this.#grants = new ThreadGrants((frame) => sandbox.executorFor(frame));
    this.#commands = new ThreadCommands({
      ...{ ...parts, sandbox },
      isPassing: (name) => this.#grants.isPassing(name),
    });
    this.#bounds = this.#boundsOf(this.#skills);
    const others = parts.tools.map((source) => source.openThread(parts.thread));
    this.#tools = new Toolbox(
      [
        ...[commandTools(this.#commands), fileTools(sandbox), permissionTools(this.#grants)],
        ...[skillTools(this.#skills, sandbox), ...others, clientTools()],
      ],
      this.#bounds,
    );
  }

  async runTurn(request: TurnRequest, port: TurnPort): Promise<TurnEnd> {
    if (this.#hasTurn) {
      const message = `Cannot run "${request.turn}": a turn of this thread runs, expected it to end first`;
      return { status: "failed", message };
    }
    this.#hasTurn = true;
    const { models } = this.#parts;
    const run = async (bare: ToolContext) => {
      const context = await this.#grants.begin(bare);
      try {
        await this.#skills.beginTurn(request.turn, request.frame);
        return await runTurn(request, {
          ...{ context, models, tools: this.#tools },
          catalogue: () => this.#skills.catalogue,
          loadAsked: (call) => this.#loadAsked(call, context),
        });
      } finally {
        await this.#tools.endTurn(context);
      }
    };
    return this.#follow({ ...request, run }, port).finally(() => {
      this.#hasTurn = false;
    });
  }

  /** Held against what the turn may do now, as what a model loads is. */
  async #loadAsked(call: ToolCall, context: ToolContext): Promise<ToolOutcome> {
    await this.#bounds.renew(context);
    const parts = { skills: this.#skills, sandbox: this.#sandbox };
    return runLoadSkill({ call, by: "user" }, context, parts);
  }

  /** Grants first, skills on top of them. */
  #boundsOf({ bounds }: ThreadSkills): ToolBounds {
    return {
      renew: async (context) => {
        await this.#grants.renew(context);
        await bounds.renew(context);
      },
      refusalOf: (name) => bounds.refusalOf(name),
      frameUnder: (frame) => this.#grants.passOn(bounds.frameUnder(frame)),
    };
  }

  runShell(request: ShellRequest, port: TurnPort): Promise<TurnEnd> {
    const shell = { id: `shell-${randomUUID()}`, line: request.command };
    const run = async (context: ToolContext): Promise<TurnEnd> => {
      await runShellCommand(shell, context, this.#commands);
      return { status: context.port.signal.aborted ? "interrupted" : "completed" };
    };
    return this.#follow({ ...request, run }, port);
  }

  processes(): readonly ThreadProcess[] {
    return this.#commands.running();
  }

  endProcess(processId: string): Promise<boolean> {
    return this.#commands.end(processId);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#work);
    await this.#tools.close();
    await this.#sandbox.close();
  }

  /** Runs something that has a port to speak through; what it throws is how it ended. */
  #follow(work: Work, port: TurnPort): Promise<TurnEnd> {
    const voice = new TurnVoice(port, this.#closing.signal);
    const ending = this.#run(work, voice).finally(() => voice.end());
    this.#work.add(ending);
    return ending.finally(() => this.#work.delete(ending));
  }

  async #run({ turn, frame, run }: Work, voice: TurnVoice): Promise<TurnEnd> {
    const { thread, clock } = this.#parts;
    try {
      const end = await run({
        ...{ thread, turn, frame, isPassing: false, port: voice },
        now: () => clock.now(),
        ask: (question) => this.#approvals.ask(question, frame, voice),
      });
      return voice.failure === undefined ? end : failedBy(voice.failure);
    } catch (error) {
      return failedBy(error);
    }
  }
}

function failedBy(error: unknown): TurnEnd {
  return { status: "failed", message: error instanceof Error ? error.message : String(error) };
}
