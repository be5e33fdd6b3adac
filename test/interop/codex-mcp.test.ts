/** The real Codex hands its sandbox to MCP servers; what counts is what happens on the host. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { codexThread } from "./support/app-server.ts";
import { type Place, WRIT, writEnv } from "./support/drive-codex.ts";
import { callOf, driveMcp, EXAMPLE, layOutMcp } from "./support/drive-mcp.ts";

const TOOLS = [process.execPath, path.join(import.meta.dirname, "support/tool-server.ts")];
const shell = (line: string) => [callOf("shell", "shell", { line })];

/** Tries a write inside and one outside the workspace, numbered where there are several. */
function writesOf({ workspace, outside }: Place, number: number | "" = ""): string {
  return `touch ${workspace}/in${number}; touch ${outside}/out${number}; echo over`;
}

/** Which of the files named in both places are there. */
function seen({ workspace, outside }: Place, ...names: readonly string[]): string[] {
  return names.filter((name) => [workspace, outside].some((one) => existsSync(`${one}/${name}`)));
}

/** A thread whose model calls the shell once a turn. */
async function shellThread(place: Place, server: readonly string[]) {
  let line = "";
  const turns = Array.from({ length: 40 }, () => [() => shell(line), []]).flat();
  const thread = await codexThread({ place, servers: { shell: server }, turns });
  const turn = async (said: string, settings: object): Promise<string> => {
    line = said;
    return (await thread.turn(settings)).at(-1) ?? "";
  };
  return { thread, turn, turnUnder: (mode: string, said: string) => turnUnder(turn, mode, said) };
}

/** A turn under other permissions. Codex may lag behind them; then others are chosen in between, as the refusal says. */
async function turnUnder(
  turn: (line: string, settings: object) => Promise<string>,
  permissions: string,
  line: string,
): Promise<string> {
  const others = permissions === ":workspace" ? ":read-only" : ":workspace";
  for (let tries = 0; tries < 10; tries += 1) {
    const said = await turn(line, { permissions });
    if (!said.includes("the client lags behind its own settings")) return said;
    await turn("true", { permissions: others });
  }
  throw new Error(`Cannot go on: Codex never sent ${permissions}`);
}

describe.each([
  ["the example server", EXAMPLE],
  ["a confined server", [WRIT, "confine", "--", ...TOOLS]],
])("the real Codex and %s", (_, server) => {
  const servers = { shell: server };

  it.each([
    ["read-only", []],
    ["workspace-write", ["in"]],
    ["danger-full-access", ["in", "out"]],
  ])("in mode %s leave %j on the host", async (mode, files) => {
    const place = layOutMcp();
    const turns = [shell(writesOf(place))];
    const outputs = await driveMcp({ place, servers, turns }, ["-s", mode]);
    expect(outputs).toEqual([expect.stringContaining("over")]);
    expect(seen(place, "in", "out")).toEqual(files);
  });

  it("leave nothing in the workspace that the next sandbox does not clear away", async () => {
    const place = layOutMcp();
    const { workspace } = place;
    await driveMcp({ place, servers, turns: [shell("touch in")] }, ["-s", "workspace-write"]);
    // Codex kills its servers moments after it told them to end: stand-ins for protected names may be there yet.
    await vi.waitFor(
      () => {
        const args = ["run", "--sandbox", "workspace-write", "-C", workspace, "--", "true"];
        execFileSync(WRIT, args, { env: writEnv(place) });
        expect(readdirSync(workspace)).toEqual(["in"]);
      },
      { timeout: 60_000 },
    );
  });

  it("write to a further root, and not beside it", async () => {
    const place = layOutMcp();
    const further = path.join(place.outside, "further");
    mkdirSync(further);
    const line = `touch ${further}/in; touch ${further}/.git/in; ${writesOf(place, 2)}`;
    const tables = `[sandbox_workspace_write]\nwritable_roots = [${JSON.stringify(further)}]`;
    const task = { place, servers, turns: [shell(line)], tables };
    expect(await driveMcp(task, ["-s", "workspace-write"])).toEqual([
      expect.stringContaining("over"),
    ]);
    expect(seen(place, "further/in", "further/.git/in", "in2", "out2")).toEqual([
      "further/in",
      "in2",
    ]);
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
    const line = `cat ${secret}/key sub/.env sub/plain; ${writesOf(place)}`;
    const settings = 'default_permissions = "lab"';
    const task = { place, servers, turns: [shell(line)], settings, tables };
    const outputs = await driveMcp(task, []);
    expect(outputs).toEqual([expect.stringContaining("plain-to-see")]);
    expect(outputs.join()).not.toContain("denied-by");
    expect(seen(place, "in", "out")).toEqual(["in"]);
  });

  it("follow each change of the mode between turns", async () => {
    const place = layOutMcp();
    const { turnUnder } = await shellThread(place, server);
    const modes = [":workspace", ":read-only", ":danger-full-access", ":read-only"];
    for (const [index, mode] of modes.entries()) {
      expect(await turnUnder(mode, writesOf(place, index + 1))).toContain("over");
    }
    const files = ["in1", "out1", "in2", "out2", "in3", "out3", "in4", "out4"];
    expect(seen(place, ...files)).toEqual(["in1", "in3", "out3"]);
  });

  it("run nothing while the state that Codex sends lags behind its own settings", async () => {
    const place = layOutMcp();
    const { thread, turn, turnUnder } = await shellThread(place, server);
    await turnUnder(":danger-full-access", writesOf(place, 1));
    await thread.set({ permissions: ":read-only" });
    const lagging = "the state means danger-full-access";
    expect(await turn(writesOf(place, 2), {})).toContain(lagging);
    // The same mode once more is no change to Codex.
    const again = { permissions: ":read-only" };
    expect(await turn(writesOf(place, 2), again)).toContain(lagging);
    expect(seen(place, "in1", "out1", "in2", "out2")).toEqual(["in1", "out1"]);
    expect(await turnUnder(":workspace", writesOf(place, 3))).toContain("over");
    expect(seen(place, "in3", "out3")).toEqual(["in3"]);
  });

  it("run nothing for a call that the client makes itself, without state", async () => {
    const place = layOutMcp();
    const thread = await codexThread({ place, servers, turns: [] });
    await thread.turn({ permissions: ":danger-full-access" });
    const args = { line: writesOf(place) };
    const answer = await thread.call({ server: "shell", tool: "shell", arguments: args });
    expect(answer).toMatchObject({ isError: true });
    expect(JSON.stringify(answer)).toContain("came without sandbox state");
    expect(seen(place, "in", "out")).toEqual([]);
  });
});

describe("the real Codex and two servers", () => {
  it("hands the state only to the one that asks for it", async () => {
    const place = layOutMcp();
    const servers = { asking: [...TOOLS, "--advertise"], other: TOOLS };
    const turns = [[callOf("asking", "meta", {})], [callOf("other", "meta", {})]];
    const [asking, other] = await driveMcp({ place, servers, turns }, ["-s", "workspace-write"]);
    expect(asking).toContain("codex/sandbox-state-meta");
    expect(other).toContain("threadId");
    expect(other).not.toContain("codex/sandbox-state");
  });

  it("has each of two worlds keep to itself: one opts in, one is not confined", async () => {
    const place = layOutMcp();
    const servers = { shell: EXAMPLE, other: TOOLS };
    const turns = [
      [callOf("shell", "shell", { line: writesOf(place, 1) })],
      [callOf("other", "shell", { line: writesOf(place, 2) })],
    ];
    await driveMcp({ place, servers, turns }, ["-s", "read-only"]);
    expect(seen(place, "in1", "out1", "in2", "out2")).toEqual(["in2", "out2"]);
  });
});
