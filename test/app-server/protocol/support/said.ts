/** Messages as clients and servers of this dialect send them, whole. */
import { z } from "zod";
import { appProtocol } from "../../../../src/app-server/protocol/app-protocol.ts";
import { declarationsOf } from "../../../../src/rpc/index.ts";
import { readParams } from "../../../../src/rpc/issues/read-params.ts";

/** What a server makes of the params of a request: the value, or the sentence that refuses it. */
export function read(name: string, params: unknown): unknown {
  const found = declarationsOf(appProtocol.toServer).find((one) => one.name === name);
  if (!found) throw new Error(`there is no method ${name}`);
  const read = readParams(found.params, params, { numbers: "value" });
  return read.kind === "read" ? read.value : read.problem;
}

export const thread = {
  id: "t",
  sessionId: "t",
  forkedFromId: null,
  parentThreadId: null,
  name: null,
  preview: "",
  originator: "codex-tui",
  source: "appServer" as const,
  threadSource: null,
  cliVersion: "0.0.0",
  ephemeral: true,
  path: null,
  cwd: "/w",
  environments: [{ environmentId: "local", cwd: "/w", runtimeWorkspaceRoots: ["/w"] }],
  gitInfo: { sha: null, branch: null, originUrl: null },
  createdAt: 1,
  updatedAt: 1,
  recencyAt: null,
  status: { type: "active" as const, activeFlags: ["waitingOnApproval" as const] },
  canAcceptDirectInput: true,
  modelProvider: "p",
  model: "m",
  reasoningEffort: null,
  historyMode: "paginated" as const,
  extra: null,
  section: null,
  sectionEnteredAt: null,
  projectId: null,
  agentNickname: null,
  agentRole: null,
  daybreakEnabled: null,
  turns: [],
};

const times = { startedAtMs: 1, completedAtMs: null };

/** One item of each kind. */
export const items = {
  userMessage: {
    ...{ type: "userMessage" as const, id: "u", ...times, clientId: null },
    content: [
      { type: "text" as const, text: "hi", text_elements: [] },
      { type: "mention" as const, name: "n", path: "/p" },
    ],
  },
  agentMessage: {
    ...{ type: "agentMessage" as const, id: "a", ...times, text: "ok", phase: null },
    ...{ memoryCitation: null, delivery: null, questions: null },
  },
  reasoning: { type: "reasoning" as const, id: "r", ...times, summary: ["s"], content: [] },
  commandExecution: {
    ...{ type: "commandExecution" as const, id: "c", ...times, pluginId: null, scriptPath: null },
    ...{ command: "ls", cwd: "/w", processId: null, source: "agent" as const },
    ...{ status: "inProgress" as const, aggregatedOutput: null, exitCode: null, durationMs: null },
    commandActions: [
      { type: "unknown" as const, command: "ls" },
      { type: "search" as const, command: "rg x", query: null, path: null },
    ],
    writ: { receiptId: null, denial: null },
  },
  fileChange: {
    ...{ type: "fileChange" as const, id: "f", ...times, status: "completed" as const },
    writ: { receiptId: null, denial: null },
    changes: [{ path: "/w/a", kind: { type: "update" as const, move_path: null }, diff: "" }],
  },
  mcpToolCall: {
    ...{ type: "mcpToolCall" as const, id: "m", ...times, server: "s", tool: "t" },
    ...{ status: "completed" as const, arguments: null, appContext: null, mcpAppUi: null },
    ...{ pluginId: null, readOnlyHint: null, error: null, durationMs: null },
    result: { content: [], structuredContent: null, _meta: null },
    writ: { receiptId: null, denial: null },
  },
  dynamicToolCall: {
    ...{ type: "dynamicToolCall" as const, id: "d", ...times, namespace: null, tool: "t" },
    ...{ arguments: null, status: "failed" as const, contentItems: null },
    ...{ success: null, durationMs: null, writ: { receiptId: null, denial: null } },
  },
};

export const turn = {
  id: "1",
  rootTurnId: null,
  items: Object.values(items),
  itemsView: "full" as const,
  status: "failed" as const,
  error: { message: "no", codexErrorInfo: null, additionalDetails: null, misalignment: null },
  startedAt: 1,
  completedAt: null,
  durationMs: null,
};

export const writ = {
  permissionProfile: {
    type: "managed" as const,
    file_system: {
      type: "restricted" as const,
      entries: [
        { path: { type: "path" as const, path: "/a//b/" }, access: "deny" as const },
        {
          path: { type: "special" as const, value: { kind: "project_roots" as const } },
          access: "write" as const,
        },
      ],
    },
    network: "restricted" as const,
  },
  profileDigest: "sha256:1",
  boundDigest: null,
  projection: { lossy: true, lost: ["deny /a/b"] },
  profile: { id: "mine", extends: null, state: "current" as const },
};

/** What `thread/start` answers. */
export const started = {
  thread,
  ...{ model: "m", modelProvider: "p", serviceTier: null, disabledPluginIds: [], cwd: "/w" },
  ...{ runtimeWorkspaceRoots: ["/w"], instructionSources: [], approvalPolicy: "never" as const },
  ...{ approvalsReviewer: "user" as const, reasoningEffort: null },
  sandbox: { type: "readOnly" as const, networkAccess: false },
  activePermissionProfile: { id: "mine", extends: null },
  multiAgentMode: "explicitRequestOnly" as const,
  writ,
};

/** Every place of a value, as the value without the member that stands there. */
export function withoutEachMember(value: unknown): { place: string; rest: unknown }[] {
  if (Array.isArray(value)) {
    return value.flatMap((one: unknown, index) =>
      withoutEachMember(one).map(({ place, rest }) => ({
        place: `${index}.${place}`,
        rest: value.with(index, rest),
      })),
    );
  }
  const parsed = z.record(z.string(), z.unknown()).safeParse(value);
  return Object.entries(parsed.data ?? {}).flatMap(([name, member]) => {
    const { [name]: _, ...rest } = parsed.data ?? {};
    const deeper = withoutEachMember(member).map((one) => ({
      place: `${name}.${one.place}`,
      rest: { ...rest, [name]: one.rest },
    }));
    return [{ place: name, rest }, ...deeper];
  });
}
