import { spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";

/** What a shell waits for; it tells its number. */
export const PROGRAM = "sh -c 'echo $$; read line'; :";

/** A shell and the program that it waits for, until the test is over. */
export async function waitingShell(script: string, session: "own" | "shared" = "own") {
  const child = spawn("/bin/sh", ["-c", script], {
    detached: session === "own",
    stdio: ["pipe", "pipe", "ignore"],
  });
  onTestFinished(() => void child.stdin.end());
  const [said] = await once(child.stdout, "data");
  return { shell: child.pid ?? 0, program: Number(said) };
}
