import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Place } from "../../support/sandbox-user.ts";

export interface Talked {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** The built program, with these lines in a pipe, which is let go of behind them or held as long as the program runs. */
export async function talk(
  place: Place,
  lines: readonly string[],
  { flags = [] as readonly string[], env = {}, pipe = "ends" as "ends" | "stays" } = {},
): Promise<Talked> {
  place.give();
  const [program = "", ...rest] = place.argv(["chat", ...flags]);
  const child = spawn(program, rest, { cwd: place.workspace, env: { ...place.env, ...env } });
  const printed = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    printed.err += text;
  });
  child.stdin.on("error", () => {});
  child.stdin.write(lines.map((line) => `${line}\n`).join(""));
  if (pipe === "ends") child.stdin.end();
  const [status] = await once(child, "close");
  return { status, ...printed };
}
