/** The built program beside a server of the test: nothing here waits for a process by blocking. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { Place, Ran } from "../../support/sandbox-user.ts";

/** Starts it; it is ended with the test. */
export function startWrit(place: Place, args: readonly string[]): ChildProcessWithoutNullStreams {
  place.give();
  const [program = "", ...rest] = place.argv(args);
  const child = spawn(program, rest, { cwd: place.workspace, env: place.env });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Runs it to its end, with these lines for its input. */
export async function runWrit(
  place: Place,
  args: readonly string[],
  lines: readonly string[] = [],
): Promise<Ran> {
  const child = startWrit(place, args);
  child.stdin.on("error", () => {});
  child.stdin.end(lines.map((line) => `${line}\n`).join(""));
  return endOf(child);
}

export async function endOf(child: ChildProcessWithoutNullStreams): Promise<Ran> {
  const printed = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    printed.stderr += text;
  });
  const [status] = await once(child, "close");
  return { status, ...printed };
}

/** Writes the settings of the user of a place. */
export function settings({ env }: Place, text: string): void {
  const home = env.WRIT_HOME ?? "";
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(path.join(home, "config.toml"), text);
}

/** Settings that ask for `hello` of a registry. */
export function helloFrom(registry: string, more = ""): string {
  return `sandbox_mode = "workspace-write"
[dependencies]
npm = { hello = "1.0.0" }
network = true
registry = "${registry}"
${more}`;
}
