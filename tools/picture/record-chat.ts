/**
 * Records what `npm start` shows to somebody who has just come.
 *
 * The built program runs at a real terminal, in a folder with a few files. What it
 * shows at the end is the recording; nothing is written into it but the name of the
 * folder, which is another one each time: a stand-in of the same length takes its place.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Terminal } from "../terminal.ts";
import { drawTerminal } from "./draw-terminal.ts";
import { styledLines } from "./styled-lines.ts";

const WRIT = path.resolve(import.meta.dirname, "../../bin/writ");
const BASE = "/var/tmp/";
const STAND_IN = "/home/you/hello";
const COLUMNS = 110;
const READY = String.raw`\n> *\n*$`;

/** Each line that is typed, and what is shown before the next one is. */
const SCRIPT = [
  ["ls", String.raw`exit code 0\.`],
  ["touch hello.txt", String.raw`exit code 1\..*`],
  ["/policy workspace-write", "From the next turn on: .*"],
  ["touch hello.txt", String.raw`exit code 0\.`],
  ["/explain .git/config", "covers it from .*"],
] as const;

/** The picture of the chat, as SVG. */
export async function recordChat(): Promise<string> {
  const workspace = mkdtempSync(BASE);
  const home = mkdtempSync(`${BASE}writ-picture-`);
  try {
    layOut(workspace);
    const captured = await playScript(workspace, home);
    const lines = styledLines(captured.replaceAll(workspace, STAND_IN));
    return drawTerminal({ title: "npm start", columns: COLUMNS, lines });
  } finally {
    for (const folder of [workspace, home]) rmSync(folder, { recursive: true, force: true });
  }
}

function layOut(workspace: string): void {
  if (workspace.length !== STAND_IN.length) {
    throw new Error(`Cannot show "${workspace}" as "${STAND_IN}": their lengths differ`);
  }
  mkdirSync(path.join(workspace, "src"));
  for (const name of ["README.md", "package.json"]) writeFileSync(path.join(workspace, name), "");
}

async function playScript(workspace: string, home: string): Promise<string> {
  const terminal = new Terminal({
    argv: [WRIT, "chat"],
    cwd: workspace,
    env: { PATH: process.env.PATH ?? "", HOME: home, WRIT_HOME: path.join(home, ".writ") },
    size: { columns: COLUMNS, rows: 40 },
  });
  try {
    await terminal.shows(new RegExp(`/quit ends\\.${READY}`));
    for (const [line, shown] of SCRIPT) {
      terminal.type(line);
      await terminal.shows(`> ${line}`);
      terminal.press("Enter");
      await terminal.shows(new RegExp(shown + READY));
    }
    const shown = terminal.coloured;
    // What it holds in the folder is gone before the folder is.
    terminal.type("/quit");
    terminal.press("Enter");
    await terminal.ended();
    return shown;
  } finally {
    terminal.close();
  }
}
