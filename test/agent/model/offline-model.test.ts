import { describe, expect, it } from "vitest";
import { OFFLINE_CHOICE, offlineModels, type TurnItem } from "../../../src/agent/index.ts";
import { parseOfflineLine } from "../../../src/agent/model/offline-line.ts";
import { type FakeProcess, fakeExecutor } from "../support/fake-executor.ts";
import { turnLab } from "../support/turn-lab.ts";

const inputOf = (line: string) => {
  const move = parseOfflineLine(line);
  return move.kind === "call" ? [move.name, JSON.parse(move.input)] : move.text;
};

function asking(permissions: object) {
  return ["request_permissions", { reason: expect.stringMatching(/./), permissions }];
}

describe("a line", () => {
  it.each<[string, unknown]>([
    ["say hello there", "hello there"],
    ["make test", ["exec_command", { cmd: "make test" }]],
    ["read", ["exec_command", { cmd: "read" }]],
    ["read a b.txt", ["read_file", { path: "a b.txt" }]],
    ["write a.txt it's", ["write_file", { path: "a.txt", content: "it's\n" }]],
    ["list src", ["list_dir", { path: "src" }]],
    ["grep word", ["grep", { pattern: "word" }]],
    ["grep -rn word .", ["exec_command", { cmd: "grep -rn word ." }]],
    ["view a.png", ["view_image", { path: "a.png" }]],
    ['call files.read_it {"a":1}', ["mcp__files__read_it", { a: 1 }]],
    ["call files.list", ["mcp__files__list", {}]],
    ["background cat", ["exec_command", { cmd: "cat", tty: true, yield_time_ms: 250 }]],
    ["type 12 yes no", ["write_stdin", { session_id: 12, chars: "yes no\n", yield_time_ms: 1000 }]],
    ["ask network", asking({ network: { enabled: true } })],
    ["ask read /a b", asking({ file_system: { read: ["/a b"] } })],
    ["ask write /a then touch /a/b", asking({ file_system: { write: ["/a"] } })],
    ["ask write", ["exec_command", { cmd: "ask write" }]],
    ["ask me", ["exec_command", { cmd: "ask me" }]],
    ["ask", ["exec_command", { cmd: "ask" }]],
    ["constructor x", ["exec_command", { cmd: "constructor x" }]],
    ["", "There is nothing to do."],
  ])("%j becomes a call or words", (line, expected) => {
    expect(inputOf(line)).toEqual(expected);
  });

  it("asks to leave the sandbox with a reason", () => {
    expect(inputOf("escalate touch /x")).toEqual([
      "exec_command",
      {
        cmd: "touch /x",
        sandbox_permissions: "require_escalated",
        justification: expect.stringMatching(/./),
      },
    ]);
  });
});

describe("the offline model", () => {
  const lab = (executor = fakeExecutor()) =>
    turnLab({ executor, models: offlineModels, frame: { model: OFFLINE_CHOICE } });
  const lastText = (items: readonly TurnItem[]) => {
    const last = items.findLast(({ type }) => type === "agentMessage");
    return last?.type === "agentMessage" ? last.text : "";
  };

  it("does what the last line says and tells its exit code", async () => {
    const executor = fakeExecutor((process) => void process.exit(7));
    const { run, completed } = lab(executor);
    expect(await run("please\nmake test")).toEqual({ status: "completed" });
    expect(executor.requests[0]?.argv.at(-1)).toBe("make test");
    expect(lastText(completed())).toBe("It ended with exit code 7.");
  });

  it("tells what was denied", async () => {
    const executor = fakeExecutor((process) => void process.exit(1, { sandboxDenied: true }));
    const { run, completed } = lab(executor);
    await run("touch x");
    expect(lastText(completed())).toMatch(/exit code 1\. Probably denied/);
  });

  const waiting = (line: string, end: (process: FakeProcess) => void) => {
    const executor = fakeExecutor(() => {});
    let waits = 0;
    const lab = turnLab({
      ...{ executor, models: offlineModels, fires: [250, 1000, 10_000, 30_000] },
      frame: { model: OFFLINE_CHOICE },
      onEvent: (event) => {
        if (event.kind !== "terminalInteraction") return;
        waits += 1;
        const [process] = executor.processes;
        if (waits === 2 && process) end(process);
      },
    });
    return { ...lab, line, waits: () => waits };
  };

  it("waits for a command that takes long, and tells how it ended", async () => {
    const { run, completed, line, waits } = waiting("make all", (process) => {
      process.print("made").exit(3, { sandboxDenied: true });
    });
    await run(line);
    expect(waits()).toBe(2);
    expect(lastText(completed())).toMatch(/^It ended with exit code 3\. Probably denied/);
    const command = completed().find(({ type }) => type === "commandExecution");
    expect(command).toMatchObject({ exitCode: 3, output: "made" });
  });

  it("waits for none that was meant to go on, nor for what it typed into", async () => {
    const { run, completed, line, waits } = waiting("background cat", () => {});
    await run(line);
    const [, session] = /session (\d+)\.$/.exec(lastText(completed())) ?? [];
    expect(waits()).toBe(0);
    await run(`type ${session} hello`);
    expect(waits()).toBe(1);
    expect(lastText(completed())).toContain(`Process running with session ID ${session}`);
  });

  it("answers without a tool, and tells what was refused", async () => {
    const { run, completed } = lab();
    await run("say hello");
    expect(lastText(completed())).toBe("hello");
    await run("call files.read {}");
    expect(lastText(completed())).toContain("no such tool");
  });

  it("does what comes after the questions, and tells only what came of that", async () => {
    const executor = fakeExecutor((process) => void process.exit(0));
    const given = { network: true, files: [] };
    const answer = { given, scope: "turn" } as const;
    const permissions = [answer, new Error("nobody"), answer];
    const { run, completed, wanted } = turnLab({
      ...{ executor, models: offlineModels, permissions },
      frame: { model: OFFLINE_CHOICE },
    });
    await run("ask network then ask write /x then make it");
    expect(wanted).toHaveLength(2);
    expect(executor.requests.map(({ argv }) => argv.at(-1))).toEqual(["make it"]);
    expect(lastText(completed())).toBe("It ended with exit code 0.");
    await run("ask network");
    expect(lastText(completed())).toContain("Granted for this turn: the network");
  });

  it("uses no id twice", async () => {
    const { run, completed } = lab();
    for (const line of ["make", "make", "say a", "say a"]) await run(line);
    const ids = completed().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => id.startsWith("item-"))).toEqual([]);
  });

  it.each([
    ["openai", "offline"],
    ["writ", "gpt"],
  ])("is not %s/%s", async (provider, model) => {
    const { run } = turnLab({
      models: offlineModels,
      frame: { model: { provider, model, effort: null } },
    });
    expect(await run("say x")).toMatchObject({
      status: "failed",
      message: expect.stringContaining(`${provider}/${model}`),
    });
  });
});

describe("a model that the built-in provider does not have", () => {
  it("is refused with the one it has, and where others are named", () => {
    expect(() => offlineModels.find({ provider: "writ", model: "gpt-5.5", effort: null })).toThrow(
      'Cannot ask "writ/gpt-5.5": there is no such model here, expected "writ/offline", or a model_provider in config.toml that has it',
    );
  });
});
