import { describe, expect, it } from "vitest";
import { read } from "./support/said.ts";

const tui = {
  initialize: {
    clientInfo: { name: "codex-tui", title: null, version: "0.166.0" },
    capabilities: { experimentalApi: true, requestAttestation: false },
  },
  start: {
    ...{ model: "gpt-5.5", modelProvider: null, allowProviderModelFallback: true, cwd: "/w" },
    ...{ serviceTier: null, runtimeWorkspaceRoots: null, approvalPolicy: "on-request" },
    ...{ approvalsReviewer: "user", sandbox: "read-only", permissions: null, serviceName: null },
    ...{ config: { "features.apps": false, web_search: "disabled" }, baseInstructions: null },
    ...{ developerInstructions: null, personality: null, multiAgentMode: null, ephemeral: true },
    ...{ historyMode: "paginated", sessionStartSource: "startup", threadSource: "thread_title" },
    ...{ projectId: null, daybreakEnabled: null, environments: [], dynamicTools: null },
    ...{ selectedCapabilityRoots: null, mockExperimentalField: null, experimentalRawEvents: false },
    ...{ sandboxPolicy: null, persistExtendedHistory: false },
  },
  turn: {
    ...{ threadId: "t", clientUserMessageId: null, outputSchema: null, toolOutput: null },
    input: [{ type: "text", text: "hi", text_elements: [] }],
    ...{ environments: [{ environmentId: "local", cwd: "/w", runtimeWorkspaceRoots: null }] },
    ...{ cwd: "/w", runtimeWorkspaceRoots: ["/w"], approvalPolicy: "never", model: "m" },
    ...{ approvalsReviewer: "user", sandboxPolicy: null, permissions: ":workspace" },
    ...{ serviceTier: null, effort: "high", summary: "auto", personality: null },
    collaborationMode: {
      mode: "default",
      settings: { model: "m", reasoning_effort: null, developer_instructions: null },
    },
  },
};

describe("the params of the app-server", () => {
  it.each([
    ["initialize", tui.initialize],
    ["thread/start", tui.start],
    ["turn/start", tui.turn],
  ])("keep all that the Codex TUI says in %s", (name, params) => {
    expect(read(name, params)).toEqual(params);
  });

  it.each([
    ["initialize", { clientInfo: { name: "a", version: "1" }, capabilities: null }],
    ["account/read", { refreshToken: false }],
    ["account/rateLimits/read", undefined],
    ["account/bedrock/checkGovCloudRequirements", {}],
    ["configRequirements/read", undefined],
    ["configRequirements/read", {}],
    ["hooks/list", { cwds: ["/w"] }],
    ["config/read", { includeLayers: false, cwd: "/w" }],
    ["model/list", { cursor: null, limit: null, includeHidden: true }],
    ["collaborationMode/list", {}],
    ["skills/list", { cwds: ["/w"], forceReload: true }],
    ["thread/start", {}],
    ["thread/list", { limit: 1, cwd: "/w", sortKey: "updated_at", sourceKinds: ["cli"] }],
    ["thread/list", { cwd: ["/w", "/v"], archived: false, sortDirection: "desc" }],
    ["thread/loaded/list", {}],
    ["thread/read", { threadId: "t" }],
    ["thread/resume", { threadId: "t", excludeTurns: true, initialTurnsPage: { limit: 5 } }],
    ["thread/fork", { threadId: "t", ephemeral: true, sandbox: "workspace-write" }],
    ["thread/turns/list", { threadId: "t", itemsView: "full" }],
    ["thread/items/list", { threadId: "t", cursor: { type: "item", itemId: "i" } }],
    ["thread/goal/get", { threadId: "t" }],
    ["thread/settings/update", { threadId: "t", permissions: ":read-only" }],
    ["permissionProfile/list", { cursor: "2", limit: 1, cwd: null }],
    ["mcpServerStatus/list", { detail: "toolsAndAuthOnly" }],
    ["mcpServer/tool/call", { threadId: "t", server: "s", tool: "x", arguments: { a: 1 } }],
    ["turn/steer", { threadId: "t", input: [], expectedTurnId: "1" }],
    ["turn/interrupt", { threadId: "t", turnId: "1" }],
  ])("take %s with %j", (name, params) => {
    expect(read(name, params)).toEqual(params);
  });

  it("pass over members that they do not know", () => {
    expect(read("thread/read", { threadId: "t", tomorrow: 1 })).toEqual({ threadId: "t" });
  });

  it("fill in what a text and a granular approval may leave out", () => {
    const granular = { sandbox_approval: true, rules: false, mcp_elicitations: false };
    expect(
      read("turn/start", {
        threadId: "t",
        input: [{ type: "text", text: "hi" }],
        approvalPolicy: { granular },
      }),
    ).toMatchObject({
      input: [{ text_elements: [] }],
      approvalPolicy: {
        granular: { ...granular, skill_approval: false, request_permissions: false },
      },
    });
  });

  it.each([
    ["thread/read", {}, "missing field `threadId`"],
    ["thread/read", { threadId: 5 }, "invalid type: integer `5`, expected a string"],
    ["turn/start", { threadId: "t" }, "missing field `input`"],
    [
      "turn/start",
      { threadId: "t", input: [{ type: "video" }] },
      "unknown variant `video`, expected one of `text`, `image`, `localImage`, `audio`, `localAudio`, `skill`, `mention`",
    ],
    [
      "A04 thread/start",
      { sandbox: "workspaceWrite" },
      "unknown variant `workspaceWrite`, expected one of `read-only`, `workspace-write`, `danger-full-access`",
    ],
    [
      "A14 thread/start",
      { runtimeWorkspaceRoots: ["a"] },
      "AbsolutePathBuf deserialized without a base path",
    ],
    [
      "A15 thread/start",
      { approvalPolicy: "on-failure" },
      "unknown variant `on-failure`, expected one of `untrusted`, `on-request`, `never`",
    ],
    ["thread/start", { approvalPolicy: { granular: {} } }, "missing field `sandbox_approval`"],
    ["thread/start", { ephemeral: "yes" }, 'invalid type: string "yes", expected a boolean'],
    ["thread/start", { config: [] }, "invalid type: sequence, expected a map"],
    ["thread/start", { environments: [{ environmentId: "e" }] }, "missing field `cwd`"],
    ["thread/list", { limit: -1 }, "Too small: expected number to be >=0"],
    ["initialize", { clientInfo: { name: "a" } }, "missing field `version`"],
  ])("%s refuses %j", (name, params, problem) => {
    expect(read(name.replace(/^A\d\d /, ""), params)).toEqual(problem);
  });
});
