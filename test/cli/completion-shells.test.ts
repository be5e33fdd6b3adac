/** What real shells make of their scripts: lines are typed into them, and what they then run is looked at. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { SANDBOX_MODES } from "../../src/policy/index.ts";
import { openTerminal } from "../../src/sandbox/run/streams/open-terminal.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { writ } from "./support/cli-world.ts";

const scriptFor = async (shell: string) => (await writ(["completion", shell])).out;

/** A folder with a file, another one, and the script of a shell. */
async function folderFor(shell: string): Promise<string> {
  const folder = temporaryFolder({ "a file": "", "src/b": "" });
  writeFileSync(path.join(folder, `.${shell}`), await scriptFor(shell));
  return folder;
}

/** Each line is typed, completed at its end, and run; the answer is what `writ` was then given. */
async function completedByZsh(lines: readonly string[]): Promise<string[][]> {
  const folder = await folderFor("zsh");
  const start = `PS1=; autoload -Uz compinit; compinit -u -D; source ./.zsh
writ() { print -r -- "ran:\${(j:|:)@}"; }
`;
  writeFileSync(path.join(folder, ".zshrc"), start);
  const { inner, outer, input } = openTerminal({ columns: 200, rows: 50 });
  const env = { PATH: "/usr/bin:/bin", TERM: "dumb", HOME: folder, ZDOTDIR: folder };
  const child = spawn("zsh", ["-d", "-i"], { cwd: folder, env, stdio: [inner, inner, inner] });
  closeSync(inner);
  const over = once(child, "exit");
  let shown = "";
  const drained = new Promise<void>((resolve) => outer.on("error", () => resolve()));
  outer.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
  });
  for (const line of lines) input.write(`${line}\t\r`);
  input.write("exit\r");
  await Promise.all([over, drained]);
  return [...shown.matchAll(/^ran:(.*?)\r*$/gm)].map(([, words = ""]) => words.trim().split("|"));
}

describe("zsh with its completion", () => {
  it("completes commands, options, values of both spellings, verbs, paths, and programs behind --", async () => {
    const typed: [string, string[]][] = [
      ["writ snap", ["snapshot"]],
      ["writ run --rec", ["run", "--receipt"]],
      ["writ run --sandbox w", ["run", "--sandbox", "workspace-write"]],
      ["writ run --sandbox=w", ["run", "--sandbox=workspace-write"]],
      ["writ repl --language py", ["repl", "--language", "python"]],
      ["writ snapshot bu", ["snapshot", "build"]],
      ["writ run --cd ", ["run", "--cd", "src"]],
      ["writ explain a", ["explain", "a file"]],
      ["writ run --receipt=a", ["run", "--receipt=a file"]],
      [
        "writ run --sandbox read-only -- printen",
        ["run", "--sandbox", "read-only", "--", "printenv"],
      ],
      ["writ run -- cat a", ["run", "--", "cat", "a file"]],
    ];
    expect(await completedByZsh(typed.map(([line]) => line))).toEqual(typed.map(([, ran]) => ran));
  });
});

/** What fish offers at the end of a line. */
async function offeredByFish(line: string): Promise<string[]> {
  const folder = await folderFor("fish");
  const args = ["--no-config", "-c", "source .fish; complete -C $argv[1]", line];
  const env = { PATH: "/usr/bin:/bin", HOME: folder };
  const printed = execFileSync("fish", args, { cwd: folder, env, encoding: "utf8" });
  return printed
    .split("\n")
    .filter(Boolean)
    .map((row) => row.split("\t")[0] ?? "")
    .sort();
}

describe("fish with its completion", () => {
  it.each<[string, string[]]>([
    ["writ snap", ["snapshot"]],
    ["writ run --rec", ["--receipt"]],
    ["writ run --sandbox ", [...SANDBOX_MODES].sort()],
    ["writ run --sandbox=w", ["--sandbox=workspace-write"]],
    ["writ repl --language py", ["python"]],
    ["writ snapshot bu", ["build"]],
    ["writ run --cd ", ["src/"]],
    ["writ explain a", ["a file"]],
    ["writ run -- printen", ["printenv"]],
    ["writ run -- cat a", ["a file"]],
    // A word with a pipe in it begins no other program.
    ["writ run -- cat 'x |' printen", []],
    ["writ chat --model ", []],
  ])("offers for %j just %j", async (line, expected) => {
    expect(await offeredByFish(line)).toEqual(expected);
  });
});
