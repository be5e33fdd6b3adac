/** Connections to a real server that are cut at random points: nothing is lost, repeated or done twice. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExecError, type ExecServer } from "../../../src/exec/index.ts";
import { connectExecutor, type RemoteExecutor } from "../../../src/exec/remote/connect-executor.ts";
import { executorAt } from "../../../src/exec/remote/executor-at.ts";
import type { Connect } from "../../../src/exec/remote/link/open-session.ts";
import { createMemoryPair } from "../../../src/rpc/index.ts";
import { campaign } from "../../support/campaign.ts";
import { collected } from "../contract/support/collected.ts";
import { contractPlace, requestOf } from "../contract/support/contract-place.ts";
import { execServer, listening } from "../contract/support/our-executors.ts";
import { type Cut, CutTransport } from "./support/cut-transport.ts";
import { CuttingProxy } from "./support/cutting-proxy.ts";

const NEVER: Cut = { after: Number.POSITIVE_INFINITY, of: "sent" };
const cut = fc.record({
  after: fc.nat(30),
  of: fc.constantFrom("received" as const, "sent" as const),
});
const cuts = fc.array(cut, { minLength: 1, maxLength: 6 });
const QUICK = { retryMs: 5, budgetMs: 20_000 };

function cutting(connect: Connect, points: readonly Cut[]): Connect {
  const left = [...points];
  return async (signal) => new CutTransport(await connect(signal), left.shift() ?? NEVER);
}

function memoryTo(server: ExecServer): Connect {
  return async () => {
    const [client, other] = createMemoryPair();
    server.accept(other);
    return client;
  };
}

/** The first connection may be cut before there is a session: then there is nothing to take up. */
async function executorBy(connect: Connect): Promise<RemoteExecutor> {
  for (;;) {
    try {
      return await connectExecutor({ connect, clientName: "writ-test", times: QUICK });
    } catch (error) {
      if (!(error instanceof ExecError) || error.code !== "disconnected") throw error;
    }
  }
}

const LINES = Array.from({ length: 400 }, (_, i) => `line ${i}\n`);

/** Echoes its input after printing, line by line, and tells where it ran. */
const SCRIPT =
  "i=0; while [ $i -lt 400 ]; do echo line $i; i=$((i+1)); done; head -n 3; echo run >> runs; exit 5";

async function oneRound(connect: Connect): Promise<void> {
  const place = contractPlace();
  const executor = await executorBy(connect);
  try {
    const process = await executor.start(requestOf(SCRIPT, place, { pipeStdin: true }));
    const output = collected(process);
    const written = Promise.all(
      ["a\n", "b\n", "c\n"].map((one) => process.write(Buffer.from(one))),
    );
    const { stdout, exit } = await output;
    expect(stdout).toBe(`${LINES.join("")}a\nb\nc\n`);
    expect(exit.exitCode).toBe(5);
    expect(await written).toEqual([true, true, true]);
    expect((await process.receipt)?.outcome).toEqual({ kind: "exited", code: 5 });
    expect(runsIn(place.workspace)).toBe(1);
  } catch (error) {
    // The one outcome that is not known: then it ran once at most.
    if (!isUnknownStart(error)) throw error;
    expect(runsIn(place.workspace)).toBeLessThanOrEqual(1);
  } finally {
    await executor.close();
  }
}

function isUnknownStart(error: unknown): boolean {
  return error instanceof ExecError && /not known to have happened/.test(error.message);
}

function runsIn(workspace: string): number {
  const file = path.join(workspace, "runs");
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
}

describe("connections that are cut at random", () => {
  it("lose no byte, repeat none, and start nothing twice", { timeout: 120_000 }, async () => {
    const server = execServer();
    await fc.assert(
      fc.asyncProperty(cuts, (points) => oneRound(cutting(memoryTo(server), points))),
      campaign(150) as fc.Parameters<[Cut[]]>,
    );
  });

  it("lose none of what is on its way when a socket breaks", { timeout: 120_000 }, async () => {
    const proxy = await CuttingProxy.before(await listening(execServer()));
    const connect = executorAt(proxy.url);
    const place = contractPlace();
    const expected = Array.from({ length: 500_000 }, (_, i) => `${1_000_000 + i}\n`).join("");
    const bytes = fc.oneof(fc.nat(2_000), fc.nat(4_000_000));
    await fc.assert(
      fc.asyncProperty(fc.array(bytes, { minLength: 1, maxLength: 6 }), async (points) => {
        proxy.cuts = [...points];
        const executor = await executorBy(connect);
        try {
          const process = await executor.start(requestOf("seq 1000000 1499999", place));
          expect((await collected(process)).stdout === expected).toBe(true);
        } catch (error) {
          if (!isUnknownStart(error)) throw error;
        } finally {
          await executor.close();
        }
      }),
      campaign(50) as fc.Parameters<[number[]]>,
    );
    expect(proxy.broken).toBeGreaterThan(0);
  });
});
