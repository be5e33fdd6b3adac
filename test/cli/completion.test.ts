/** The scripts that shells load, and what a real bash makes of one. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { zshCompletion } from "../../src/cli/completion/zsh-completion.ts";
import { SANDBOX_MODES } from "../../src/policy/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { writ } from "./support/cli-world.ts";

const SHELLS = ["bash", "zsh", "fish"];
const scriptFor = async (shell: string) => (await writ(["completion", shell])).out;

/** What bash offers for the last of these words, in a folder. */
async function offered(words: readonly string[], cwd = "/"): Promise<string[]> {
  const program = `${await scriptFor("bash")}
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_writ
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const args = ["--norc", "--noprofile", "-c", program, "bash", ...words];
  const printed = execFileSync("bash", args, { cwd, encoding: "utf8" });
  return [...new Set(printed.split("\n").filter(Boolean))].sort();
}

describe("writ completion", () => {
  it.each(SHELLS)("tells %s of every command and every option there is", async (shell) => {
    const script = await scriptFor(shell);
    const written = (name: string) => (shell === "fish" ? ` -l ${name}` : `--${name}`);
    const missing = COMMANDS.flatMap(({ name, options }) => [
      ...(script.includes(name) ? [] : [name]),
      ...Object.keys(options).filter((option) => !script.includes(written(option))),
    ]);
    expect(missing).toEqual([]);
    expect(script).toContain(SANDBOX_MODES.join(" "));
  });

  it("keeps a summary one word for zsh, also with an apostrophe in it", () => {
    const script = zshCompletion([
      { name: "x", summary: "It's", verbs: [], options: [], rest: undefined },
    ]);
    const [, word = ""] = /local -a known=\(\n(.*)\n/.exec(script) ?? [];
    expect(execFileSync("sh", ["-c", `printf %s ${word}`], { encoding: "utf8" })).toBe("x:It's");
  });

  it.each([[[]], [["tcsh"]], [["bash", "zsh"]]])("refuses %j with a sentence", async (args) => {
    const { status, out, err } = await writ(["completion", ...args]);
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toMatch(/^writ: Cannot complete.*[:,] expected one of bash, zsh, fish\n/);
  });
});

describe("bash with its completion", () => {
  it("offers every command for the first word", async () => {
    const names = COMMANDS.map(({ name }) => name);
    expect(await offered(["writ", ""])).toEqual([...names, "help"].sort());
  });

  it.each<[string[], string[]]>([
    [["writ", "snap"], ["snapshot"]],
    [["writ", "help", "snap"], ["snapshot"]],
    [["writ", "run", "--sandbox", ""], [...SANDBOX_MODES].sort()],
    [["writ", "run", "--sandbox", "w"], ["workspace-write"]],
    [["writ", "run", "--sandbox", "=", "w"], ["workspace-write"]],
    [["writ", "run", "--sandbox", "="], [...SANDBOX_MODES].sort()],
    [["writ", "repl", "--sandbox", "i"], ["inherit"]],
    [["writ", "repl", "--language", "py"], ["python"]],
    [
      ["writ", "chat", "--approval", ""],
      ["never", "on-request", "untrusted"],
    ],
    [
      ["writ", "snapshot", ""],
      ["build", "list", "remove"],
    ],
    [["writ", "snapshot", "build", "--f"], ["--force"]],
    [["writ", "run", "--rec"], ["--receipt"]],
    [
      ["writ", "completion", ""],
      ["bash", "fish", "zsh"],
    ],
    // Nobody knows what a model is called, and a word behind "--" is no option of ours.
    [["writ", "chat", "--model", ""], []],
    [["writ", "run", "--", "ls", "--sandb"], []],
  ])("offers for %j just %j", async (words, expected) => {
    expect(await offered(words)).toEqual(expected);
  });

  it("offers folders where an option takes one, files where one takes those, programs behind --", async () => {
    const folder = temporaryFolder({ "a file": "", "src/b": "" });
    expect(await offered(["writ", "run", "--cd", ""], folder)).toEqual(["src"]);
    expect(await offered(["writ", "run", "--receipt", ""], folder)).toEqual(["a file", "src"]);
    expect(await offered(["writ", "explain", "a"], folder)).toEqual(["a file"]);
    expect(await offered(["writ", "run", "--", "cat", "a"], folder)).toEqual(["a file"]);
    expect(await offered(["writ", "run", "--sandbox", "read-only", "--", "printen"])).toEqual([
      "printenv",
    ]);
  });

  it("runs nothing that lies in the folder, however it is called", async () => {
    const folder = temporaryFolder();
    for (const name of ["$(touch ran)", "`touch ran`"]) {
      mkdirSync(path.join(folder, name));
      writeFileSync(path.join(folder, `${name}.txt`), "");
    }
    expect(await offered(["writ", "run", "--receipt", ""], folder)).not.toContain("ran");
    expect(await offered(["writ", "run", "--receipt", "$(touch ran)"], folder)).not.toContain(
      "ran",
    );
    expect(await offered(["writ", "run", "--cd", "r"], folder)).toEqual([]);
  });
});
