/** Threads, turns and items to keep, with what a test says about them. */
import type { CommandExecution, TurnItem } from "../../../../src/agent/index.ts";
import type {
  ItemRecord,
  ThreadRecord,
  ThreadSettings,
  TurnRecord,
} from "../../../../src/app-server/store/thread-record.ts";
import type { PageQuery, ThreadQuery } from "../../../../src/app-server/store/thread-store.ts";
import {
  type PermissionProfile,
  parsePathUri,
  readCanonicalProfile,
} from "../../../../src/policy/index.ts";

const START = Date.UTC(2026, 0, 1);

export const READ_ONLY: PermissionProfile = readCanonicalProfile({
  type: "managed",
  file_system: {
    type: "restricted",
    entries: [{ path: { type: "special", value: { kind: "root" } }, access: "read" }],
  },
  network: "restricted",
});

/** A profile with something of everything that can be said. */
export const WHOLE: PermissionProfile = {
  type: "managed",
  fileSystem: {
    type: "restricted",
    entries: [
      { target: { type: "minimal" }, access: "read" },
      { target: { type: "workspaceRoots" }, access: "write" },
      { target: { type: "slashTmp" }, access: "write" },
      { target: { type: "path", path: parsePathUri("file:///srv/caf%C3%A9") }, access: "read" },
      { target: { type: "path", path: parsePathUri("file:///srv/key") }, access: "deny" },
      {
        target: { type: "path", path: parsePathUri("file:///srv/.git") },
        access: "read",
        missing: "skip",
      },
      {
        target: { type: "glob", base: "workspaceRoots", pattern: "**/*.env" },
        access: "deny",
      },
      { target: { type: "unknown", token: ":newer" }, access: "read" },
    ],
    globScanMaxDepth: 7,
  },
  network: {
    kind: "ruled",
    rules: {
      mode: "limited",
      domains: { "example.org": "allow", "**.example.net": "deny" },
      ports: [443],
      unixSockets: { "/run/a.sock": "allow" },
      allowLocalBinding: true,
    },
  },
  unixSockets: "private",
  limits: { wallTimeMs: 1000, memoryBytes: 1_000_000 },
};

export function someSettings(more: Partial<ThreadSettings> = {}): ThreadSettings {
  return {
    policy: { profile: READ_ONLY, origin: { kind: "policy" } },
    cwd: "/srv/project",
    workspaceRoots: ["/srv/project"],
    approvalPolicy: "on-request",
    approvalsReviewer: "user",
    model: "model-1",
    modelProvider: "provider-1",
    effort: null,
    summary: null,
    serviceTier: null,
    instructions: null,
    environments: [{ id: "local", cwd: "/srv/project" }],
    clientTools: [{ namespace: "n", name: "t", description: "d", inputSchema: { type: "object" } }],
    ...more,
  };
}

export function aThread(id = "thread-1", more: Partial<ThreadRecord> = {}): ThreadRecord {
  return {
    id,
    createdAt: START,
    updatedAt: START,
    forkedFrom: null,
    preview: "",
    name: null,
    archived: false,
    originator: "client-1",
    threadSource: null,
    settings: someSettings(),
    ...more,
  };
}

export function aTurn(id = "turn-1", more: Partial<TurnRecord> = {}): TurnRecord {
  return { id, state: "inProgress", error: null, startedAt: START, completedAt: null, ...more };
}

export function aMessage(
  id: string,
  text = `text of ${id}`,
): Extract<TurnItem, { type: "agentMessage" }> {
  return { type: "agentMessage", id, text };
}

export function aCommand(id: string, more: Partial<CommandExecution> = {}): CommandExecution {
  return {
    type: "commandExecution",
    id,
    command: "make all",
    argv: ["make", "all"],
    cwd: "/srv/project",
    processId: null,
    source: "agent",
    status: "inProgress",
    output: null,
    exitCode: null,
    durationMs: null,
    receiptId: null,
    denial: null,
    call: { name: "shell", input: '{"command":"make all"}', output: null },
    ...more,
  };
}

export function anItem(item: TurnItem, more: Partial<ItemRecord> = {}): ItemRecord {
  return { turn: "turn-1", item, startedAt: START, completedAt: START + 5, ...more };
}

export function aQuery(more: Partial<ThreadQuery> = {}): ThreadQuery {
  return {
    archived: false,
    sortKey: "createdAt",
    direction: "descending",
    limit: 100,
    cursor: null,
    cwds: null,
    search: null,
    ...more,
  };
}

export function upwards(limit = 100, cursor: string | null = null): PageQuery {
  return { direction: "ascending", limit, cursor };
}

export function downwards(limit = 100, cursor: string | null = null): PageQuery {
  return { direction: "descending", limit, cursor };
}
