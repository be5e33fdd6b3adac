/** What a program without types may hand in where a policy is made: never nothing, which others would take for one. */
import { describe, it } from "vitest";
import {
  parseAbsolutePath,
  policyForMode,
  profileOfPolicy,
  type SandboxMode,
  type SandboxPolicy,
} from "../../../src/policy/index.ts";
import { expectRefusal } from "../support/refusal.ts";

describe("a policy of a program without types", () => {
  it.each(["workspace_write", "", undefined])("is refused for the mode %j", (mode) => {
    const named = `Cannot use mode "${mode}": there is no such mode, expected read-only`;
    expectRefusal(() => policyForMode(mode as SandboxMode), "unknown", named);
  });

  it.each([{ type: "workspace-write" }, {}])("is refused for %j", (policy) => {
    const named = 'expected "dangerFullAccess", "externalSandbox", "readOnly" or "workspaceWrite"';
    expectRefusal(() => profileOfPolicy(policy as unknown as SandboxPolicy), "unknown", named);
  });

  it.each([undefined, null, 5, new URL("file:///a")])("is refused for the path %s", (path) => {
    const named = "it is no text, expected an absolute path";
    expectRefusal(() => parseAbsolutePath(path as unknown as string), "invalidPath", named);
  });
});
