/** Our remote executor drives the exec-server of the real Codex, by the contract that ours is held to. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Executor } from "../../src/exec/index.ts";
import { connectExecutor } from "../../src/exec/remote/connect-executor.ts";
import { executorAt, executorOver } from "../../src/exec/remote/executor-at.ts";
import type { Connect } from "../../src/exec/remote/link/open-session.ts";
import { createLineTransport, type Transport } from "../../src/rpc/index.ts";
import { executorContract } from "../exec/contract/executor-contract.ts";
import { collected } from "../exec/contract/support/collected.ts";
import { contractPlace, intentOf, requestOf } from "../exec/contract/support/contract-place.ts";
import { CODEX, codexEnv, labFolder } from "./support/codex.ts";

const WITHOUT_OURS = {
  receipts: false,
  sizes: false,
  trapsInSandbox: false,
  endsInput: false,
  interruptsAlone: false,
  anchors: false,
  allOfFiles: false,
};

function spawnServer(listen: string): ChildProcess {
  const args = ["exec-server", "--listen", listen];
  const env = codexEnv(`${labFolder()}/home`);
  const child = spawn(CODEX, args, { env, stdio: ["pipe", "pipe", "ignore"] });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  });
  return child;
}

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("Cannot listen: no pipe");
  for await (const line of createInterface({ input: stdout })) {
    if (line.startsWith("ws://")) return line;
  }
  throw new Error("Cannot connect: the server printed no address");
}

async function executorBy(connect: Connect): Promise<Executor> {
  const executor = await connectExecutor({ connect, clientName: "writ-interop" });
  onTestFinished(() => executor.close());
  return executor;
}

async function overWebSocket(): Promise<Executor> {
  return executorBy(executorAt(await addressOf(spawnServer("ws://127.0.0.1:0"))));
}

async function overPipes(): Promise<Executor> {
  const { stdin, stdout } = spawnServer("stdio");
  if (stdin === null || stdout === null) throw new Error("Cannot speak: no pipes");
  return executorBy(executorOver(createLineTransport({ input: stdout, output: stdin })));
}

executorContract("codex exec-server over a WebSocket", overWebSocket, WITHOUT_OURS);
executorContract("codex exec-server over pipes", overPipes, WITHOUT_OURS);

describe("a session with the real exec-server", () => {
  it("is taken up again after each cut, without a byte lost or repeated", async () => {
    const connect = executorAt(await addressOf(spawnServer("ws://127.0.0.1:0")));
    const transports: Transport[] = [];
    const executor = await executorBy(async (signal) => {
      const transport = await connect(signal);
      transports.push(transport);
      return transport;
    });
    const place = contractPlace();
    const script = "for i in $(seq 300); do echo line $i; sleep 0.005; done; exit 9";
    const sandbox = intentOf("workspace-write", place);
    const process = await executor.start(requestOf(script, place, { sandbox }));
    let seen = 0;
    const { stdout, exit } = await collected(process, () => {
      seen += 1;
      if (seen % 50 === 10) transports.at(-1)?.close();
    });
    expect(exit.exitCode).toBe(9);
    expect(stdout).toBe(Array.from({ length: 300 }, (_, i) => `line ${i + 1}\n`).join(""));
    expect(transports.length).toBeGreaterThan(2);
  });
});
