import type { ThreadRecord } from "../store/thread-record.ts";
import { seconds, type writeTurn } from "./write-turn.ts";

export type WireThreadStatus =
  | { readonly type: "notLoaded" | "idle" | "systemError" }
  | { readonly type: "active"; readonly activeFlags: "waitingOnApproval"[] };

export interface ShownThread {
  readonly record: ThreadRecord;
  readonly status: WireThreadStatus;
  readonly ephemeral: boolean;
  readonly version: string;
  readonly turns: readonly ReturnType<typeof writeTurn>[];
}

/** A thread as clients know it; what this server has no notion of is null. */
export function writeThread({ record, status, ephemeral, version, turns }: ShownThread) {
  const { settings } = record;
  const isLoaded = status.type !== "notLoaded";
  return {
    id: record.id,
    environments: isLoaded
      ? settings.environments.map((one) => writeEnvironment(one, settings))
      : null,
    extra: null,
    sessionId: record.id,
    forkedFromId: record.forkedFrom,
    parentThreadId: null,
    preview: record.preview,
    ephemeral,
    section: null,
    sectionEnteredAt: null,
    projectId: null,
    historyMode: "paginated" as const,
    modelProvider: settings.modelProvider,
    model: settings.model,
    reasoningEffort: settings.effort,
    createdAt: seconds(record.createdAt),
    updatedAt: seconds(record.updatedAt),
    recencyAt: seconds(record.updatedAt),
    status,
    // No thread has a file of its own, and clients take threads of one path for one thread.
    path: null,
    cwd: settings.cwd,
    cliVersion: version,
    originator: record.originator,
    source: "appServer" as const,
    canAcceptDirectInput: isLoaded ? true : null,
    threadSource: record.threadSource,
    agentNickname: null,
    agentRole: null,
    gitInfo: null,
    name: record.name,
    daybreakEnabled: null,
    turns: [...turns],
  };
}

type Settings = ThreadRecord["settings"];

/** The roots elsewhere are the folder there; those of this machine are the thread's own. */
function writeEnvironment(
  { id, cwd }: Settings["environments"][number],
  { workspaceRoots }: Settings,
) {
  const roots = id === "local" ? [...workspaceRoots] : [cwd];
  return { environmentId: id, cwd, runtimeWorkspaceRoots: roots };
}
