/**
 * Serves threads to clients, over whatever transports are handed in.
 *
 * It puts handlers and connections together and decides nothing itself: which
 * policy holds is in `policy/`, what a turn does is the agent's.
 */
import type { Agent, McpStartup, McpTools, SkillSource } from "../agent/index.ts";
import { type ExecHost, type Executor, planStart } from "../exec/index.ts";
import {
  createPeer,
  createRouter,
  type FaultLog,
  type Handlers,
  type Peer,
  type Schedule,
  type Transport,
} from "../rpc/index.ts";
import { admitCall } from "./admit-call.ts";
import { AppConnection } from "./app-connection.ts";
import { APP_LIMITS, appDialect } from "./app-dialect.ts";
import type { Broadcast } from "./broadcast.ts";
import { commandHandlers } from "./commands/command-handlers.ts";
import type { InheritedEnvironment } from "./commands/start-of-command.ts";
import { terminalHandlers } from "./commands/terminal-handlers.ts";
import type { Environments } from "./environments/create-environments.ts";
import { environmentHandlers } from "./environments/environment-handlers.ts";
import { fileHandlers } from "./files/file-handlers.ts";
import type { AppParts } from "./handlers/app-parts.ts";
import { catalogHandlers } from "./handlers/catalog-handlers.ts";
import { mcpHandlers } from "./handlers/mcp-handlers.ts";
import { sessionHandlers } from "./handlers/session-handlers.ts";
import { threadHandlers } from "./handlers/thread-handlers.ts";
import { turnHandlers } from "./handlers/turn-handlers.ts";
import type { LoadConfig } from "./policy/app-config.ts";
import { createCommandPolicies } from "./policy/create-command-policies.ts";
import { PolicyChooser } from "./policy/policy-chooser.ts";
import { PolicyGrants } from "./policy/policy-grants.ts";
import { appProtocol } from "./protocol/app-protocol.ts";
import type { ThreadStore } from "./store/thread-store.ts";
import { Threads } from "./threads/threads.ts";
import { tellErrors } from "./to-rpc-error.ts";

export interface AppServerOptions {
  readonly agent: Agent;
  /** This machine, for commands and files outside threads. */
  readonly executor: Executor;
  readonly host: ExecHost;
  readonly environments: Environments;
  readonly mcp: McpTools;
  readonly skills: SkillSource;
  readonly store: ThreadStore;
  /** Makes a store for a thread that is in memory only. */
  readonly memory: () => ThreadStore;
  readonly load: LoadConfig;
  readonly cwd: string;
  /** The variables of commands that belong to no thread. */
  readonly variables: InheritedEnvironment;
  readonly writHome: string;
  readonly userHome: string;
  readonly version: string;
  readonly now?: () => number;
  /** Receives faults whose text must not cross the wire. */
  readonly log: FaultLog;
}

export interface AppServer {
  /** Takes a connection. */
  accept(transport: Transport): Peer;
  /** Tells clients how far a server of a thread is. */
  tellMcpStartup(update: McpStartup): void;
  /** Stops every turn, and all that was started. */
  close(): Promise<void>;
}

const { notify } = appProtocol.toClient;

/** Most calls of one connection at work at once. */
const CONCURRENT = 64;
/** What must get through while every other slot is taken. */
const CONTROL = new Set(["turn/interrupt", "command/exec/terminate", "thread/unsubscribe"]);
/** What takes as long as somebody else's server does; a thread is not held up by it. */
const UNORDERED = new Set(["mcpServer/tool/call", "mcpServerStatus/list"]);

/** Calls about one thread, or one process, keep their order. */
const SCHEDULE: Schedule = {
  kind: "concurrent",
  limit: CONCURRENT,
  keyOf: (method, params) => {
    if (method === "initialize") return "initialize";
    if (UNORDERED.has(method)) return undefined;
    const { threadId, processId } = Object(params);
    if (typeof threadId === "string") return `thread ${threadId}`;
    const isFollowUp = typeof processId === "string" && method !== "command/exec";
    return isFollowUp ? `process ${processId}` : undefined;
  },
  control: { methods: CONTROL, limit: CONCURRENT },
};

/** Makes a server. It listens nowhere by itself. */
export function createAppServer(options: AppServerOptions): AppServer {
  const { log, now = Date.now } = options;
  const connections = new Set<AppConnection>();
  const broadcast: Broadcast = (notification, params) => {
    for (const connection of connections) connection.notify(notification, params);
  };
  const threads = createThreads(options, { broadcast, now });
  options.skills.onChange(() => broadcast(notify.skillsChanged, {}));
  const router = createRouter({
    methods: appProtocol.toServer,
    handlers: handlersOf(options, { threads, broadcast, now }),
    admit: admitCall,
  });
  return {
    accept: (transport) =>
      createPeer<AppConnection>({
        transport,
        dialect: appDialect,
        schedule: SCHEDULE,
        limits: APP_LIMITS,
        log,
        serve: {
          router,
          context: (peer) => {
            const connection = new AppConnection(peer);
            connections.add(connection);
            connection.closed.addEventListener("abort", () => connections.delete(connection));
            return connection;
          },
        },
      }),
    tellMcpStartup: (update) => tellMcpStartup(update, broadcast),
    async close() {
      options.skills.close();
      try {
        await threads.close();
        await options.environments.close();
      } finally {
        await options.executor.close();
      }
    },
  };
}

function tellMcpStartup({ thread, server, state, error }: McpStartup, broadcast: Broadcast): void {
  if (state === "notStarted") return;
  broadcast(notify.mcpServerStartupStatusUpdated, {
    threadId: thread,
    name: server,
    status: state,
    error,
    failureReason: null,
  });
}

interface Live {
  readonly broadcast: Broadcast;
  readonly now: () => number;
}

function createThreads(options: AppServerOptions, { broadcast, now }: Live): Threads {
  const { agent, store, memory, version, log, load, host } = options;
  const grants = new PolicyGrants({ load, host, plan: planStart });
  let requests = 0;
  return new Threads({
    ...{ agent, store, memory },
    home: { now, broadcast, version, log, grants, nextRequestId: () => requests++ },
    unloaded: (threadId) => broadcast(notify.threadClosed, { threadId }),
  });
}

function handlersOf(
  options: AppServerOptions,
  { threads, broadcast, now }: Live & { readonly threads: Threads },
): Handlers<typeof appProtocol.toServer, AppConnection> {
  const { executor, host, environments, mcp, skills, load, cwd } = options;
  const { writHome, userHome, version } = options;
  const chooser = new PolicyChooser({ load, host, home: userHome });
  const policies = createCommandPolicies(chooser);
  const parts: AppParts = {
    ...{ threads, chooser, load, broadcast, cwd, writHome, version, now },
    hasEnvironment: (id) => environments.ids.includes(id),
  };
  return tellErrors({
    session: sessionHandlers(parts),
    thread: threadHandlers(parts),
    turn: turnHandlers(parts),
    terminal: terminalHandlers(threads),
    catalog: catalogHandlers({ load, cwd, userHome, skills }),
    mcp: mcpHandlers(mcp, threads),
    command: commandHandlers({ executor, policies, cwd, variables: options.variables }),
    files: fileHandlers({ files: executor.files, policies, cwd }),
    environment: environmentHandlers(environments),
  });
}
