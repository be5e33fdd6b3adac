import { expect, it } from "vitest";
import type { ChatSettings } from "../../../src/cli/chat/chat-settings.ts";
import { welcomeLines } from "../../../src/cli/chat/view/welcome-lines.ts";

const SETTINGS = {
  ...{ cwd: "/repo", model: "offline", modelProvider: "writ", approvalPolicy: "never" },
  writ: { profile: { id: "p" }, permissionProfile: { type: "disabled" } },
} as unknown as ChatSettings;

it.each([
  ["readOnly", "in the sandbox"],
  ["workspaceWrite", "in the sandbox"],
  ["dangerFullAccess", "without a sandbox"],
] as const)("says where a command runs under %s", (type, where) => {
  const settings = { ...SETTINGS, sandbox: { type } } as ChatSettings;
  expect(welcomeLines(settings)).toContain(`A line is a command, ${where}. Try: ls`);
});
