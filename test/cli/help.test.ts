/** Every help text there is, held to one screen and to what its command really takes. */
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Command } from "../../src/cli/command.ts";
import { LANGUAGE_WORDS } from "../../src/cli/commands/repl-command.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { nearestName } from "../../src/cli/help/nearest-name.ts";
import { MODE_WORDS } from "../../src/cli/policy/policy-takes.ts";
import { LANGUAGES } from "../../src/mcp/index.ts";
import { SANDBOX_MODES } from "../../src/policy/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { writ } from "./support/cli-world.ts";

const SCREEN = { lines: 24, columns: 80 };
/** Other spellings, which mcp-repl's users have in their settings. */
const UNSAID = ["add-writeable-root", "add-allowed-domain"];
const named = COMMANDS.map((command) => [command.name, command] as const);

const optionsIn = (line: string) =>
  [...line.replace(/ -- .*/, "").matchAll(/--([a-z][\w-]*)/g)].map(([, name = ""]) => name);

describe("writ --help", () => {
  it.each(["", ...named.map(([name]) => name)])(
    "fits what is printed for %j on a screen of 80 by 24, the prompt below it included",
    async (name) => {
      const { status, out } = await writ([...(name === "" ? [] : [name]), "--help"]);
      const lines = out.trimEnd().split("\n");
      expect(status).toBe(0);
      expect(lines.length).toBeLessThan(SCREEN.lines);
      expect(lines.filter(({ length }) => length > SCREEN.columns)).toEqual([]);
    },
  );

  it.each(named)("has an example of %s, whose options there are", async (name, { options }) => {
    const { out } = await writ([name, "--help"]);
    const [, example = ""] = /\nexample[^:]*:([\s\S]*)$/.exec(out) ?? [];
    expect(example).toMatch(new RegExp(`writ.* "?${name}\\b|"${name}"`, "s"));
    expect(optionsIn(example).filter((option) => options[option] === undefined)).toEqual([]);
  });

  it.each(named)("says of %s with which status it ends", async (name) => {
    expect((await writ([name, "--help"])).out).toMatch(/Exit status/);
  });

  it.each(["chat", "app-server", "exec-server", "confine -- x", "repl"])(
    "says of %s with which status it ends where nothing can be kept",
    async (line) => {
      const [name = "", ...rest] = line.split(" ");
      const home = path.join(temporaryFolder({ file: "" }), "file/home");
      const { status } = await writ([name, ...rest], temporaryFolder(), home);
      const { out } = await writ([name, "--help"]);
      expect(out.replace(/\s+/g, " ")).toContain(`${status} when`);
    },
  );

  it.each(named)("names every option of %s", async (name, command) => {
    const said = new Set(optionsOf((await writ([name, "--help"])).out, command));
    const known = Object.keys(command.options).filter((option) => !UNSAID.includes(option));
    expect(known.filter((option) => !said.has(option))).toEqual([]);
  });

  it.each(named)("knows the options of %s that completion offers words for", (_, command) => {
    // Options that several commands share are said once for all of them.
    const strange = Object.keys(command.takes ?? {}).filter((option) => {
      const isShared = option === "add-dir";
      return command.options[option]?.type !== "string" && !isShared;
    });
    expect(strange).toEqual([]);
  });

  it("is printed for a command behind help, and for a verb of one", async () => {
    const { out } = await writ(["snapshot", "--help"]);
    expect(await writ(["help", "snapshot"])).toMatchObject({ status: 0, out });
    expect(await writ(["snapshot", "build", "--help"])).toMatchObject({ status: 0, out });
    expect(await writ(["help"])).toEqual(await writ(["--help"]));
  });
});

/** Also where one stands for two: `--token-file, --sign FILE`. */
function optionsOf(help: string, { options }: Command): string[] {
  return Object.keys(options).filter((option) => help.includes(`--${option}`));
}

/** What an option takes that has words: what is told when it is given another, completion offers. */
const WORDED = COMMANDS.flatMap(({ name, takes = {} }) =>
  Object.entries(takes).flatMap(([option, words]) =>
    typeof words === "string" ? [] : [[name, option, words] as const],
  ),
);
/** What a line of theirs cannot do without. */
const REST: Readonly<Record<string, readonly string[]>> = {
  ...{ run: ["--", "true"], plan: ["--", "true"], confine: ["--", "true"], explain: ["/"] },
  ...{ install: ["codex"] },
};

describe("the words that an option takes", () => {
  it("are those of the layers that read them", () => {
    expect(MODE_WORDS).toEqual(SANDBOX_MODES);
    expect(LANGUAGE_WORDS).toEqual(LANGUAGES);
  });
});

describe("a word that an option does not take", () => {
  it.each(WORDED)("is refused by %s --%s, with those that it does", async (name, option, words) => {
    const line = [name, `--${option}`, "nonsense", ...(REST[name] ?? [])];
    const { status, err } = await writ(line);
    expect(status).toBe(2);
    expect(words.filter((word) => !err.includes(word))).toEqual([]);
  });
});

describe("a word that there is not, or is missing", () => {
  it.each([
    [["chta"], 'Cannot run "chta": there is no such command. Did you mean chat?'],
    [["--verison"], 'Cannot use "--verison": there is no such option. Did you mean --version?'],
    [
      ["--sandbox", "read-only", "--", "ls"],
      'Cannot use "--sandbox": there is no such option, expected a command first, --help or --version',
    ],
    [["frobnicate"], 'Cannot run "frobnicate": there is no such command'],
    [
      ["run", "--sandbx"],
      'Cannot use "--sandbx": there is no such option. Did you mean --sandbox?',
    ],
    [["run", "--frobnicate"], 'Cannot use "--frobnicate": there is no such option'],
    [["doctor", "-x"], 'Cannot use "-x": there is no such option'],
    [["run", "--sandbox"], 'Cannot use "--sandbox": nothing follows, expected a value'],
    [["doctor", "--json=1"], 'Cannot use "--json" with a value: expected the option alone'],
    [["doctor", "all"], 'Cannot use "all": expected no argument'],
    [["rnu"], 'Cannot run "rnu": there is no such command. Did you mean run?'],
    [["plan"], "Cannot plan: no command was given, expected one after --"],
    [["snapshot"], "Cannot use snapshot: no verb was given, expected build, list or remove"],
    [["snapshot", "make"], 'Cannot run "snapshot make": expected build, list or remove after it'],
    [["skills"], "Cannot use skills: no verb was given, expected list or check"],
    [["completion"], "Cannot complete: no shell was given, expected one of bash, zsh, fish"],
    [["completion", "tcsh"], 'Cannot complete for "tcsh": expected one of bash, zsh, fish'],
    [["run", "-C", "--tty"], /"-C": what follows begins with a dash.*Write -CVALUE if it is one/],
    [["run", "--cd", "--tty"], /"--cd": what follows .* Write --cd=VALUE if it is one/],
  ])("is refused and never taken for another: %j", async (args, sentence) => {
    const { status, out, err } = await writ(args);
    expect({ status, out }).toEqual({ status: 2, out: "" });
    const [first = "", second] = err.split("\n");
    expect(first).toMatch(sentence instanceof RegExp ? sentence : /./);
    if (typeof sentence === "string") expect(first).toBe(`writ: ${sentence}`);
    expect(second).toMatch(/^Run: writ (\w+ )?--help$/);
  });

  it.each([
    ["run", ["run", "repl"], "run"],
    ["rnu", ["run"], "run"],
    ["urn", ["run"], "run"],
    ["nur", ["run"], undefined],
    ["explian", ["explain", "plan"], "explain"],
    ["", ["run"], undefined],
    ["skils", ["skills", "sessions"], "skills"],
    ["plain", ["main", "plan"], "plan"],
    ["completely", ["completion"], undefined],
  ])("nearestName(%j, %j) is %j", (word, names, expected) => {
    expect(nearestName(word, names)).toBe(expected);
  });
});
