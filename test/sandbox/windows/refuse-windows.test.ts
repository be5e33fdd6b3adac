import { describe, expect, it } from "vitest";
import { SandboxError } from "../../../src/sandbox/sandbox-error.ts";
import { refuseWindows } from "../../../src/sandbox/windows/refuse-windows.ts";

describe("refuseWindows", () => {
  it.each([
    ["disabled", "disabled"],
    ["restricted-token", "restricted-token"],
    ["elevated", "elevated"],
    ["mxc", "mxc"],
    ["some later word", "some later word"],
    ["", "unspecified"],
    [undefined, "unspecified"],
  ])("names the level %j", (level, named) => {
    const error = refuseWindows({ command: ["cmd.exe"] }, level);
    expect(error).toBeInstanceOf(SandboxError);
    expect(error.code).toBe("unsupportedHost");
    expect(error.message).toBe(
      `Cannot start "cmd.exe": there is no sandbox for Windows at the level "${named}", expected Linux or macOS`,
    );
  });
});
