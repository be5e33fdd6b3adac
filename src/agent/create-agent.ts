import { CORE_VARIABLES, type Executor } from "../exec/index.ts";
import {
  type SessionStore,
  SkillDigests,
  type SkillSource,
  SYSTEM_CLOCK,
} from "../session/index.ts";
import type { Agent } from "./agent.ts";
import type { AgentClock } from "./agent-clock.ts";
import type { CommandVariables } from "./commands/thread-commands.ts";
import type { Models } from "./model/model.ts";
import { OpenThread } from "./open-thread.ts";
import { createSessionPlaces, type ThreadDependencies } from "./sandbox/session-places.ts";
import type { ToolSource } from "./tools/tool.ts";

export interface AgentOptions {
  /** Where commands of an environment run. Throws a sentence where there is none of that name. */
  readonly executors: (environment: string) => Promise<Executor>;
  /** Where sessions of threads are on record; without it threads have none, and each call stands alone. */
  readonly sessions?: SessionStore | undefined;
  /** What those sessions have installed; where it is absent, what their machine has. */
  readonly dependencies?: ThreadDependencies | undefined;
  readonly models: Models;
  /** Beside those for commands. */
  readonly tools?: readonly ToolSource[] | undefined;
  /** Where skills of threads come from; without it they have none. */
  readonly skills?: SkillSource | undefined;
  /** Which variables commands get; what a program needs to start, and no more, where it is absent. */
  readonly variables?: CommandVariables | undefined;
  readonly clock?: AgentClock | undefined;
}

/** An agent for the threads of one server. It owns no executor: whoever gave them closes them. */
export function createAgent(options: AgentOptions): Agent {
  const { executors, models, tools = [], variables = coreOnly, clock = SYSTEM_CLOCK } = options;
  const sessions = options.sessions && createSessionPlaces(options.sessions, options.dependencies);
  const skills = { source: options.skills, digests: new SkillDigests() };
  const open = new Set<OpenThread>();
  return {
    openThread(thread) {
      const opened = new OpenThread({
        ...{ thread, executors, sessions, models, tools, variables, clock, skills },
      });
      open.add(opened);
      return {
        runTurn: (request, port) => opened.runTurn(request, port),
        runShell: (request, port) => opened.runShell(request, port),
        processes: () => opened.processes(),
        endProcess: (processId) => opened.endProcess(processId),
        close: async () => {
          await opened.close();
          open.delete(opened);
        },
      };
    },
    async close() {
      await Promise.all([...open].map((thread) => thread.close()));
      open.clear();
    },
  };
}

const coreOnly: CommandVariables = () => ({ envPolicy: CORE_VARIABLES, env: {} });
