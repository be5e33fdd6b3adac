/** The real Codex works in the REPL under the sandbox of its thread; what counts is what happens on the host. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { codexThread } from "./support/app-server.ts";
import { type Place, WRIT } from "./support/drive-codex.ts";
import { callOf, driveMcp, layOutMcp } from "./support/drive-mcp.ts";

const FLAGS = ["--sandbox", "inherit", "--language", "python"];
const servers = { python: [WRIT, "repl", ...FLAGS, "--oversized-output", "files"] };
const cell = (input: string) => [callOf("python", "repl", { input })];

/** Tries a write inside and one outside the workspace, numbered where there are several. */
function writesOf({ workspace, outside }: Place, number: number | "" = ""): string {
  return `for file in ("${workspace}/in${number}", "${outside}/out${number}"):
    try: open(file, "w").close()
    except OSError: pass
print("over")`;
}

/** Which of the files named in both places are there. */
function seen({ workspace, outside }: Place, ...names: readonly string[]): string[] {
  return names.filter((name) => [workspace, outside].some((one) => existsSync(`${one}/${name}`)));
}

/** A thread whose model runs one cell a turn. */
async function replThread(place: Place) {
  let args: object = {};
  const turns = Array.from({ length: 40 }, () => [() => [callOf("python", "repl", args)], []]);
  const thread = await codexThread({ place, servers, turns: turns.flat() });
  const turn = async (input: string, settings: object, more: object = {}): Promise<string> => {
    args = { input, ...more };
    return (await thread.turn(settings)).at(-1) ?? "";
  };
  /** Codex may lag behind its settings; then others are chosen in between, as the refusal says. */
  const turnUnder = async (permissions: string, code: string): Promise<string> => {
    const others = permissions === ":workspace" ? ":read-only" : ":workspace";
    for (let tries = 0; tries < 10; tries += 1) {
      const said = await turn(code, { permissions });
      if (!said.includes("the client lags behind its own settings")) return said;
      await turn("None", { permissions: others });
    }
    throw new Error(`Cannot go on: Codex never sent ${permissions}`);
  };
  return { thread, turn, turnUnder };
}

describe("the real Codex and the REPL", () => {
  it.each([
    ["read-only", []],
    ["workspace-write", ["in"]],
    ["danger-full-access", ["in", "out"]],
  ])("in mode %s leave %j on the host, and keep their session", async (mode, files) => {
    const place = layOutMcp();
    const turns = [cell("x = 41"), cell(writesOf(place)), cell("x + 1")];
    const outputs = await driveMcp({ place, servers, turns }, ["-s", mode]);
    expect(outputs[1]).toContain("over");
    expect(outputs[2]).toContain("42");
    expect(seen(place, "in", "out")).toEqual(files);
  });

  it("keep what a profile denies, by path and by pattern, out of the model's sight", async () => {
    const place = layOutMcp();
    const secret = path.join(place.outside, "secret");
    mkdirSync(secret);
    mkdirSync(path.join(place.workspace, "sub"));
    writeFileSync(path.join(secret, "key"), "denied-by-path");
    writeFileSync(path.join(place.workspace, "sub/.env"), "denied-by-pattern");
    writeFileSync(path.join(place.workspace, "sub/plain"), "plain-to-see");
    const tables = `[permissions.lab.filesystem]
":root" = "read"
${JSON.stringify(secret)} = "none"
glob_scan_max_depth = 3
[permissions.lab.filesystem.":workspace_roots"]
"." = "write"
"**/*.env" = "none"
[permissions.lab.network]
enabled = false`;
    const reads = `for file in ("${secret}/key", "sub/.env", "sub/plain"):
    try: print(open(file).read())
    except OSError as error: print(type(error).__name__)
${writesOf(place)}`;
    const settings = 'default_permissions = "lab"';
    const task = { place, servers, turns: [cell(reads)], settings, tables };
    const outputs = await driveMcp(task, []);
    expect(outputs).toEqual([expect.stringContaining("plain-to-see")]);
    expect(outputs.join()).not.toContain("denied-by");
    expect(seen(place, "in", "out")).toEqual(["in"]);
  });

  it.each([
    ["read-only", "workspace-write", ["in2"]],
    ["workspace-write", "read-only", ["in1"]],
    ["danger-full-access", "workspace-write", ["in1", "out1", "in2"]],
  ])(
    "resumed from %s in %s begin a session anew under the mode of now",
    async (before, now, files) => {
      const place = layOutMcp();
      const work = (number: number) => [
        cell(`print('x' in globals())\nx = 1\n${writesOf(place, number)}`),
      ];
      await driveMcp({ place, servers, turns: work(1) }, ["-s", before]);
      const outputs = await driveMcp({ place, servers, turns: work(2) }, ["-s", now], "last");
      // The model is told again what it was told before: it is that thread.
      expect(outputs).toHaveLength(2);
      expect(outputs.at(-1)).toContain("over");
      expect(outputs.at(-1)).toContain("False");
      expect(seen(place, "in1", "out1", "in2", "out2")).toEqual(files);
    },
  );

  it("begin a session anew with each change of the mode, and say so", async () => {
    const place = layOutMcp();
    const { turnUnder } = await replThread(place);
    const modes = [":workspace", ":read-only", ":danger-full-access", ":read-only"];
    for (const [index, mode] of modes.entries()) {
      const said = await turnUnder(
        mode,
        `print('x' in globals())\nx = 1\n${writesOf(place, index + 1)}`,
      );
      expect(said).toContain("over");
      expect(said).toContain("False");
      if (index > 0) expect(said).toContain("sandbox policy changed; new session started");
    }
    const files = ["in1", "out1", "in2", "out2", "in3", "out3", "in4", "out4"];
    expect(seen(place, ...files)).toEqual(["in1", "in3", "out3"]);
  });

  it("end what runs when the mode changes, and run under the new one", async () => {
    const place = layOutMcp();
    const { turn, turnUnder } = await replThread(place);
    const late = `import time\ntime.sleep(60)\nopen("${place.workspace}/late", "w")`;
    // What comes before the interpreter has started is not taken.
    await turnUnder(":workspace", "None");
    const running = await turn(late, {}, { timeout_ms: 4000 });
    expect(running).toContain("busy");
    expect(running).not.toContain("still starting");
    const said = await turn(writesOf(place), { permissions: ":read-only" });
    expect(said).toMatch(/previous request aborted|the client lags behind/);
    expect(seen(place, "in", "out", "late")).toEqual([]);
  });

  it("run nothing for a call that the client makes itself, without state", async () => {
    const place = layOutMcp();
    const thread = await codexThread({ place, servers, turns: [] });
    await thread.turn({ permissions: ":danger-full-access" });
    const args = { input: writesOf(place) };
    const answer = await thread.call({ server: "python", tool: "repl", arguments: args });
    expect(answer).toMatchObject({ isError: true });
    expect(JSON.stringify(answer)).toContain("came without sandbox state");
    expect(seen(place, "in", "out")).toEqual([]);
  });
});
