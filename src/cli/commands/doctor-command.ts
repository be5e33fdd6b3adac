/**
 * `writ doctor`: what this host can enforce with and which settings hold, on one screen.
 *
 * The order is that of the questions a person has: can commands be confined, what is
 * missing, what do I run, which files count. The last part gives way when there is much
 * to fix; keys that nothing heeds are all listed, however many there are.
 */
import { type HostFacts, type Primitive, visibleLine } from "../../sandbox/index.ts";
import { type Command, UsageError } from "../command.ts";
import type { SettingsReport } from "../policy/settings-report.ts";

const SCREEN = { lines: 24, columns: 80 } as const;
const FIX_MARK = "      fix  ";
const SETTINGS_INDENT = " ".repeat(11);

/** `writ doctor`: what this host can enforce with, and the shortest way to what is missing. */
export const doctorCommand: Command = {
  name: "doctor",
  summary: "Say what this host can enforce, and which settings hold",
  usage: "doctor [--json]",
  help: `  --json                     the facts as JSON

Exit status: 0 when commands can be confined here, 1 when they cannot or the
settings are broken; 2 on bad input.

example: writ doctor --json
`,
  options: { json: { type: "boolean" } },
  async run({ flags, positionals: [unexpected] }, world) {
    if (unexpected !== undefined) {
      throw new UsageError(`Cannot use "${unexpected}": expected no argument`);
    }
    const { bestTier, probeHost } = await import("../../sandbox/index.ts");
    const facts = await probeHost();
    const tier = bestTier(facts);
    const { settingsReport } = await import("../policy/settings-report.ts");
    const settings = await settingsReport(world);
    const json = () => `${JSON.stringify({ tier, ...facts, settings }, null, 2)}\n`;
    world.out(flags.json ? json() : doctorReport(facts, tier, settings));
    return tier === "none" || settings.problem !== undefined ? 1 : 0;
  },
};

/** The facts for a person: at most a screen unless settings need more, each line at most its width. */
export function doctorReport(
  { primitives }: HostFacts,
  tier: string,
  settings?: SettingsReport,
): string {
  const verdict =
    tier === "none"
      ? "Commands cannot be confined on this host: those that need a sandbox do not run."
      : `Commands can be confined on this host: tier ${tier}.`;
  const lines = [
    verdict,
    ...group("Needed to confine a command", "needed", primitives),
    ...group("Useful", "useful", primitives),
    ...(settings === undefined ? [] : settingsLines(settings)),
  ];
  const room = Math.max(0, SCREEN.lines - lines.length);
  const shown = [...lines, ...aboutLines(primitives).slice(0, room)];
  return shown.map((line) => `${clip(visibleLine(line))}\n`).join("");
}

function group(title: string, level: Primitive["level"], all: readonly Primitive[]): string[] {
  const width = Math.max(...all.filter((one) => one.level !== "about").map(nameLength));
  const own = all.filter((one) => one.level === level);
  return own.length === 0 ? [] : [title, ...own.flatMap((one) => linesOf(one, width))];
}

function nameLength({ name }: Primitive): number {
  return name.length;
}

/** Why something is missing may take a second line; what is there is cut to one. */
function linesOf({ name, present, detail, fix, feature }: Primitive, width: number): string[] {
  const use = feature === undefined ? "" : ` (for ${feature})`;
  const start = `  ${present ? "ok     " : "missing"}  ${name.padEnd(width)}  `;
  const indent = " ".repeat(start.length);
  const words = `${detail}${use}`.split(" ");
  const [first = "", second, third] = present ? [words.join(" ")] : wrap(words, indent, 1);
  const more = second === undefined ? [] : [third === undefined ? second : `${second}…`];
  return [`${start}${first.trimStart()}`, ...more, ...(fix === undefined ? [] : fixLines(fix))];
}

function settingsLines({ places, unknownKeys, problem }: SettingsReport): string[] {
  const files = places.map(
    ({ whose, place, found }) => `  ${found ? "read" : "none"}     ${whose.padEnd(8)}  ${place}`,
  );
  const unknown = [...Map.groupBy(unknownKeys, ({ file }) => file)].flatMap(([file, keys]) => [
    `  unknown  in ${file}, heeded by nothing:`,
    ...wrap(listed(keys.map(({ key }) => visibleLine(key))), SETTINGS_INDENT),
  ]);
  const broken = problem === undefined ? [] : wrap(problem.split(" "), SETTINGS_INDENT);
  const first = broken.slice(0, 1).map((line) => `  broken   ${line.trimStart()}`);
  return ["Settings", ...files, ...unknown, ...first, ...broken.slice(1)];
}

function listed(words: readonly string[]): string[] {
  return words.map((word, index) => (index < words.length - 1 ? `${word},` : word));
}

function aboutLines(all: readonly Primitive[]): string[] {
  const own = all.filter(({ level }) => level === "about");
  const words = own.map(({ name, detail }) => `${name}: ${detail}`);
  const ended = words.map((word, index) => (index < words.length - 1 ? `${word};` : word));
  return own.length === 0 ? [] : ["About", ...wrap(ended, "  ")];
}

/** Stays something to paste: a line that breaks inside a command ends as the shell wants it. */
function fixLines(fix: string): string[] {
  const lines = wrap(fix.split(" "), " ".repeat(FIX_MARK.length), " \\".length);
  return lines.map((line, index) => {
    const text = index === 0 ? `${FIX_MARK}${line.slice(FIX_MARK.length)}` : line;
    return index === lines.length - 1 || line.endsWith("&&") ? text : `${text} \\`;
  });
}

/** Words on as few lines as hold them. */
function wrap(words: readonly string[], indent: string, reserve = 0): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    const longer = `${last} ${word}`;
    const fits = last !== undefined && longer.length + reserve <= SCREEN.columns;
    if (fits) lines.splice(-1, 1, longer);
    else lines.push(`${indent}${word}`);
  }
  return lines;
}

function clip(line: string): string {
  return line.length <= SCREEN.columns ? line : `${line.slice(0, SCREEN.columns - 1)}…`;
}
