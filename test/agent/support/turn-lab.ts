/** One thread of an agent with a scripted model, and all that it says. */
import { onTestFinished } from "vitest";
import {
  type AgentClock,
  type ApprovalAnswer,
  type ApprovalQuestion,
  createAgent,
  type ModelEvent,
  type ModelRequest,
  type Models,
  type PermissionAnswer,
  type PermissionQuestion,
  type SaidInput,
  type ThreadAgent,
  type ToolSource,
  type TurnEnd,
  type TurnEvent,
  type TurnFrame,
  type TurnItem,
  type TurnPort,
  type UserInput,
} from "../../../src/agent/index.ts";
import type { Executor } from "../../../src/exec/index.ts";
import {
  type Ceiling,
  type PermissionProfile,
  policyForMode,
  profileOfPolicy,
  type SandboxMode,
  uriOfNative,
} from "../../../src/policy/index.ts";
import type { SessionStore, SkillSource } from "../../../src/session/index.ts";
import { fakeExecutor } from "./fake-executor.ts";
import { grantUnder } from "./granting.ts";

/** What the model does when it is asked; one of these for each time. */
export type Step = readonly ModelEvent[] | ((request: ModelRequest) => AsyncIterable<ModelEvent>);

export interface LabOptions {
  readonly steps?: readonly Step[];
  readonly models?: Models;
  readonly executor?: Executor;
  /** Where there are other environments than the local one. */
  readonly executors?: (environment: string) => Promise<Executor>;
  readonly tools?: readonly ToolSource[];
  readonly sessions?: SessionStore;
  readonly skills?: SkillSource;
  readonly answers?: readonly (ApprovalAnswer | Error)[];
  /** To questions for more than the policy allows; nothing answers where there is none left. */
  readonly permissions?: readonly (PermissionAnswer | Error)[];
  /** Those of the host, asked each time. */
  readonly ceilings?: () => readonly Ceiling[];
  readonly frame?: Partial<TurnFrame>;
  /** Waits of these lengths are over at once; all others never. */
  readonly fires?: readonly number[];
  /** Called with every event, before it is kept. */
  readonly onEvent?: (event: TurnEvent) => void;
  readonly clock?: AgentClock;
}

export interface TurnLab {
  readonly thread: ThreadAgent;
  readonly port: TurnPort;
  readonly events: TurnEvent[];
  readonly questions: ApprovalQuestion[];
  readonly wanted: PermissionQuestion[];
  /** What the model was asked with. */
  readonly requests: ModelRequest[];
  readonly steered: SaidInput[];
  readonly stop: AbortController;
  run(text: string, more?: Partial<TurnFrame>, beside?: readonly UserInput[]): Promise<TurnEnd>;
  shell(command: string): Promise<TurnEnd>;
  /** Items as they were completed. */
  completed(): TurnItem[];
}

/** What a coarse mode means. */
export function profileIn(mode: SandboxMode): PermissionProfile {
  return profileOfPolicy(policyForMode(mode));
}

export const FRAME: TurnFrame = {
  profile: profileIn("read-only"),
  cwd: uriOfNative("/srv/space"),
  workspaceRoots: [uriOfNative("/srv/space")],
  era: 0,
  granted: [],
  approval: "on-request",
  model: { provider: "test", model: "scripted", effort: null },
  instructions: null,
  environment: "local",
  clientTools: [],
};

export const say = (text: string, itemId = "msg_1"): ModelEvent => ({
  kind: "text",
  itemId,
  delta: text,
});

let calls = 0;
/** A call with an id of its own. */
export function call(name: string, input: unknown): ModelEvent {
  calls += 1;
  const text = typeof input === "string" ? input : JSON.stringify(input);
  return { kind: "call", callId: `call_${calls}`, name, input: text };
}
export const exec = (cmd: string, more: object = {}) => call("exec_command", { cmd, ...more });

/** A turn's thread. Turns share the scripted model, the port and what it heard. */
export function turnLab(options: LabOptions = {}): TurnLab {
  const { executor = fakeExecutor(), steps = [] } = options;
  const requests: ModelRequest[] = [];
  const left = [...steps];
  const respond = (request: ModelRequest) => {
    requests.push(request);
    const step = left.shift() ?? [say("Done.", `msg_end_${requests.length}`)];
    return typeof step === "function" ? step(request) : eventsOf(step);
  };
  const agent = createAgent({
    executors:
      options.executors ??
      (async (environment) => {
        if (environment === "local") return executor;
        throw new Error(`Cannot run in "${environment}": there is no such environment`);
      }),
    models: options.models ?? { find: () => ({ respond }) },
    tools: options.tools,
    sessions: options.sessions,
    skills: options.skills,
    clock: options.clock ?? fakeClock(options.fires ?? []),
  });
  onTestFinished(() => agent.close());
  const heard = listener(options);
  const thread = agent.openThread("thread-1");
  let turns = 0;
  const frameOf = (more: Partial<TurnFrame> = {}) => ({ ...FRAME, ...options.frame, ...more });
  const completed = () =>
    heard.events.flatMap((event) => (event.kind === "itemCompleted" ? [event.item] : []));
  return {
    ...heard,
    thread,
    requests,
    completed,
    run(text, more, beside = []) {
      turns += 1;
      const { content, ...whose } = said(text, `user-${turns}`);
      const input = { ...whose, content: [...content, ...beside] };
      const turn = `turn-${turns}`;
      return thread.runTurn(
        { turn, history: completed(), input, frame: frameOf(more) },
        heard.port,
      );
    },
    shell: (command) => thread.runShell({ turn: "turn-s", command, frame: frameOf() }, heard.port),
  };
}

export function said(text: string, id: string): SaidInput {
  return { id, clientId: null, content: [{ type: "text", text }] };
}

function listener({ answers = [], permissions = [], onEvent, ceilings }: LabOptions) {
  const events: TurnEvent[] = [];
  const wanted: PermissionQuestion[] = [];
  const questions: ApprovalQuestion[] = [];
  const steered: SaidInput[] = [];
  const stop = new AbortController();
  const [left, grants] = [[...answers], [...permissions]];
  const port: TurnPort = {
    signal: stop.signal,
    emit(...several) {
      for (const event of several) {
        onEvent?.(event);
        events.push(event);
      }
    },
    async approve(question) {
      questions.push(question);
      return answered(left.shift());
    },
    renew: async () => {},
    async askPermissions(question) {
      wanted.push(question);
      return answered(grants.shift());
    },
    grant: grantUnder(ceilings ?? (() => [])),
    callClient: () => Promise.reject(new Error("nobody follows the thread")),
    takeSteered: () => steered.splice(0),
  };
  return { port, events, questions, wanted, steered, stop };
}

async function answered<A>(answer: A | Error | undefined): Promise<A> {
  if (answer === undefined) return new Promise(() => {});
  if (answer instanceof Error) throw answer;
  return answer;
}

async function* eventsOf(events: readonly ModelEvent[]): AsyncGenerator<ModelEvent> {
  yield* events;
}

function fakeClock(fires: readonly number[]): AgentClock {
  let time = 1_000_000;
  return {
    now() {
      time += 1;
      return time;
    },
    after(ms, tell) {
      if (!fires.includes(ms)) return () => {};
      const timer = setImmediate(tell);
      return () => clearImmediate(timer);
    },
  };
}
