/** A client, a proxy and the way to a server, each a process that can be killed. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { inject, onTestFinished } from "vitest";
import { type TestProgram, testProgram } from "../../support/test-program.ts";
import { WireClient } from "./wire-client.ts";

export interface FaultChain {
  /** What the killed client would have been: its messages, for as long as it lives. */
  readonly wire: WireClient;
  kill(victim: "client" | "proxy"): void;
  /** Ends both in peace. */
  close(): void;
}

/** Starts a proxy to the server and a client that connects through it. */
export async function openChain(url: string): Promise<FaultChain> {
  const proxy = program("fault-proxy", new URL(url).port);
  const port = await firstLine(proxy);
  const client = program("fault-client", `ws://127.0.0.1:${port}`);
  return {
    wire: new WireClient(linkOf(client)),
    kill: (victim) => void (victim === "client" ? client : proxy).kill("SIGKILL"),
    close: () => {
      for (const one of [client, proxy]) one.stdin?.end();
    },
  };
}

function program(name: TestProgram, argument: string): ChildProcess {
  const [node, file] = testProgram(inject("installedProgram"), name);
  const child = spawn(node, [file, argument], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.on("error", () => {});
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("the program has no output");
  const [line] = await once(createInterface({ input: stdout }), "line");
  return String(line);
}

function linkOf({ stdin, stdout }: ChildProcess): WireClient["link"] {
  if (stdin === null || stdout === null) throw new Error("the program has no streams");
  return {
    send: (text) => void stdin.write(`${text}\n`),
    // Whoever is killed may not have finished its last line.
    listen: (message) =>
      void createInterface({ input: stdout }).on("line", (line) => isWhole(line) && message(line)),
    cut: () => void stdin.end(),
    closed: new Promise((resolve) => stdout.on("close", () => resolve())),
  };
}

function isWhole(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
