import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { type ClientHome, clientHome } from "./support/client-home.ts";

const FILE = ".codex/config.toml";

const argsOf = (home: ClientHome) =>
  (parse(home.read(FILE)).mcp_servers as Record<string, { args: string[] }>).python?.args;

describe("the command line of install", () => {
  it.each([
    ["--sandbox of its own (case 147)", ["--arg=--sandbox", "--arg=read-only"]],
    ["one in one word", ["--arg=--sandbox=danger-full-access"]],
    ["a folder to write to", ["--arg=--add-writable-root=/srv"]],
    ["a setting about the sandbox", ["--arg=--config", "--arg=sandbox_mode=read-only"]],
  ])("adds no sandbox beside %s", async (_, args) => {
    const home = clientHome({ [FILE]: "" });
    const { status } = await home.install("codex", "--language", "python", ...args);
    expect(status).toBe(0);
    const given = args.map((arg) => arg.replace("--arg=", ""));
    expect(argsOf(home)).toEqual([
      ...["repl", "--oversized-output", "files", "--language", "python"],
      ...given,
    ]);
  });

  it("takes the word behind --arg as it is (case 147)", async () => {
    const home = clientHome({ [FILE]: "" });
    const words = ["--arg", "--sandbox", "--arg", "read-only"];
    expect((await home.install("codex", "--language", "python", ...words)).status).toBe(0);
    expect(argsOf(home)).toEqual([
      ...["repl", "--oversized-output", "files", "--language", "python"],
      ...["--sandbox", "read-only"],
    ]);
  });

  it("appends any other argument to the usual ones", async () => {
    const home = clientHome({ [FILE]: "" });
    await home.install("codex", "--language", "python", "--arg=--oversized-output=files");
    expect(argsOf(home)).toEqual(
      ["repl", "--sandbox", "inherit", "--language", "python"].concat("--oversized-output=files"),
    );
  });

  it.each([
    ["an interpreter (case 148)", ["codex", "--arg=--interpreter=r"], "each entry says that"],
    ["a language", ["codex", "--arg=--language", "--arg=r"], "each entry says that"],
    ["a worker of one's own", ["codex", "--arg=--worker-spec=/x"], "each entry says that"],
    ["an unknown client (case 148)", ["cursor"], 'into "cursor": expected codex or claude'],
    ["one unknown client of two", ["codex", "r"], 'into "r": expected codex or claude'],
    ["no client", [], "no client was given"],
    ["an unknown option (case 148)", ["codex", "--client", "codex"], "--client"],
    ["an unknown argument", ["codex", "--arg=--frob"], '"--frob": there is no such option'],
    ["a stray argument", ["codex", "--arg=python"], "python"],
    ["a sandbox that is none", ["codex", "--arg=--sandbox=none"], "expected inherit"],
    ["a setting that is none", ["codex", "--arg=--config=a=b"], "no such key"],
    ["an unknown language", ["codex", "--language", "perl"], 'install "perl": expected python'],
    ["an argument with --remove", ["codex", "--remove", "--arg=x"], "--arg with --remove"],
  ])("refuses %s", async (_, args, said) => {
    const home = clientHome({ [FILE]: "a = 1\n", ".claude.json": "{}" });
    const { status, err } = await home.install(...args);
    expect(status).toBe(2);
    expect(err).toContain(said);
    expect(home.read(FILE)).toBe("a = 1\n");
    expect(home.read(".claude.json")).toBe("{}");
  });

  it("refuses a language whose interpreter is not here, and removes it all the same", async () => {
    const home = clientHome({ [FILE]: "" }, () => ({ PATH: "/nowhere" }));
    const { status, err } = await home.install("codex", "--language", "bash");
    expect(status).toBe(2);
    expect(err).toContain("its interpreter was not found");
    expect((await home.install("codex", "--remove", "--language", "bash")).status).toBe(0);
  });

  it("installs into both clients at once", async () => {
    const home = clientHome({ [FILE]: "" });
    const { out } = await home.install("codex", "claude", "--language", "node");
    expect(out).toContain("Start a new session of Codex and Claude to use node\n");
    expect(home.files()).toEqual([".claude.json", ".claude/settings.json", FILE]);
  });

  it("keeps its help within a screen of 80 by 24", async () => {
    const { out } = await clientHome({}).install("--help");
    const lines = out.split("\n");
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  });
});
