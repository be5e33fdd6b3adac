import { describe, expect, it } from "vitest";
import { readCommand } from "../../../src/app-server/commands/read-command.ts";
import { commandMethods } from "../../../src/app-server/protocol/command-methods.ts";

const read = (params: object) =>
  readCommand(commandMethods.exec.params.parse({ command: ["true"], ...params }), "/srv/server");

describe("readCommand", () => {
  it("fills in what was not said as clients of the protocol know it", () => {
    expect(read({})).toEqual({
      processId: undefined,
      argv: ["true"],
      cwd: "/srv/server",
      variables: { set: {}, removed: [] },
      terminal: null,
      streamsInput: false,
      streamsOutput: false,
      outputCap: 1_048_576,
      timeoutMs: 10_000,
      policy: {},
    });
  });

  it("takes null for absent in every member that may be absent", () => {
    const nulls = { processId: null, outputBytesCap: null, timeoutMs: null, cwd: null, env: null };
    const policies = { sandboxPolicy: null, permissionProfile: null };
    const wrong = { sandbox: null, permissions: null };
    expect(read({ ...nulls, ...policies, ...wrong, size: null })).toEqual(read({}));
  });

  it("tolerates members that it does not know", () => {
    expect(read({ sometime: { later: true } })).toEqual(read({}));
  });

  it("resolves a relative folder against that of the server", () => {
    expect(read({ cwd: "../other/./place" }).cwd).toBe("/srv/other/place");
  });

  it("gives a terminal streams in both directions", () => {
    const asked = read({ tty: true, processId: "p", size: { rows: 31, cols: 101 } });
    expect(asked).toMatchObject({ streamsInput: true, streamsOutput: true });
    expect(asked.terminal).toEqual({ rows: 31, columns: 101 });
    expect(read({ tty: true, processId: "p" }).terminal).toEqual({ rows: 24, columns: 80 });
  });

  it("drops time-out and cap only where that is asked for", () => {
    const asked = read({ disableTimeout: true, disableOutputCap: true });
    expect(asked).toMatchObject({ timeoutMs: undefined, outputCap: undefined });
    expect(read({ timeoutMs: 0, outputBytesCap: 0 })).toMatchObject({ timeoutMs: 0, outputCap: 0 });
  });

  it("reads variables, and null as taking one away", () => {
    const { variables } = read({ env: { A: "1", B: null, __proto__x: "2" } });
    expect(variables).toEqual({ set: { A: "1", __proto__x: "2" }, removed: ["B"] });
  });

  const NEEDS_ID = "command/exec tty or streaming requires a client-supplied processId";
  const size = { rows: 5, cols: 5 };
  it.each([
    ["E05: an empty argv", { command: [] }, -32600, "command must not be empty"],
    [
      "E03: two policies",
      { sandboxPolicy: { type: "readOnly" }, permissionProfile: ":workspace" },
      -32600,
      "`permissionProfile` cannot be combined with `sandboxPolicy`",
    ],
    ["a terminal without a name", { tty: true }, -32600, NEEDS_ID],
    ["streamed input without a name", { streamStdin: true }, -32600, NEEDS_ID],
    ["streamed output without a name", { streamStdoutStderr: true }, -32600, NEEDS_ID],
    ["a size without a terminal", { size }, -32602, "command/exec size requires tty: true"],
    [
      "a terminal without rows",
      { tty: true, processId: "p", size: { rows: 0, cols: 5 } },
      -32602,
      "command/exec size rows and cols must be greater than 0",
    ],
    [
      "two time-outs",
      { timeoutMs: 5, disableTimeout: true },
      -32602,
      "command/exec cannot set both timeoutMs and disableTimeout",
    ],
    [
      "a time before now",
      { timeoutMs: -1 },
      -32602,
      "command/exec timeoutMs must be non-negative, got -1",
    ],
    [
      "two caps",
      { outputBytesCap: 5, disableOutputCap: true },
      -32602,
      "command/exec cannot set both outputBytesCap and disableOutputCap",
    ],
  ])("refuses %s", (_, params, wireCode, message) => {
    expect(() => read(params)).toThrow(expect.objectContaining({ wireCode, message }));
  });

  it.each(["sandbox", "permissions"])("refuses `%s`, which would not be followed", (member) => {
    expect(() => read({ [member]: "read-only" })).toThrow(
      `\`${member}\` is not supported for \`command/exec\``,
    );
  });

  it.each([
    ["a word with a zero byte", { command: ["a", "b\0c"] }],
    ["a folder with a zero byte", { cwd: "/a\0b" }],
    ["a variable without a name", { env: { "": "x" } }],
    ["a name with =", { env: { "A=B": "x" } }],
    ["a value with a zero byte", { env: { A: "x\0y" } }],
    ["a pattern of names to take away", { env: { "*": null } }],
  ])("refuses %s before anything is started", (_, params) => {
    expect(() => read(params)).toThrow(/Cannot (run|use|set)/);
  });
});
