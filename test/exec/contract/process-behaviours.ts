/** Commands from their start to their end. */
import { existsSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { ExecError } from "../../../src/exec/index.ts";
import { uriOfNative } from "../../../src/policy/index.ts";
import type { ContractOptions, MakeExecutor } from "./executor-contract.ts";
import { collected } from "./support/collected.ts";
import { contractPlace, intentOf, requestOf } from "./support/contract-place.ts";

export function processBehaviours(make: MakeExecutor, { receipts }: ContractOptions): void {
  it.each([0, 1, 7, 255])("tells the exit code %i", async (code) => {
    const executor = await make();
    const process = await executor.start(requestOf(`exit ${code}`, contractPlace()));
    const { exit } = await collected(process);
    expect(exit).toEqual({ exitCode: code, sandboxDenied: false });
    expect(process.sandboxType).toBe("none");
  });

  it("tells both streams apart and keeps the order within each", async () => {
    const executor = await make();
    const script = "for i in 1 2 3; do echo o$i; echo e$i >&2; done; exit 7";
    const process = await executor.start(requestOf(script, contractPlace()));
    expect(await collected(process)).toMatchObject({
      stdout: "o1\no2\no3\n",
      stderr: "e1\ne2\ne3\n",
      exit: { exitCode: 7 },
    });
  });

  it("tells 3 MB whole", async () => {
    const executor = await make();
    const script = "i=0; while [ $i -lt 3 ]; do seq 1000000 1142856; i=$((i+1)); done";
    const process = await executor.start(requestOf(script, contractPlace()));
    const numbers = Array.from({ length: 142_857 }, (_, index) => `${1_000_000 + index}\n`);
    const once = numbers.join("");
    const { stdout, exit } = await collected(process);
    expect(stdout === once + once + once).toBe(true);
    expect(exit.exitCode).toBe(0);
  });

  it("tells what is printed after the exit by something that was left behind", async () => {
    const executor = await make();
    const script = "(sleep 0.2; echo late) & echo early";
    const process = await executor.start(requestOf(script, contractPlace()));
    expect((await collected(process)).stdout).toBe("early\nlate\n");
  });

  it("gives a command exactly the variables of the request", async () => {
    const executor = await make();
    const env = { ONE: "1", EMPTY: "", SPACE: "a b\nc", PATH: "/usr/bin:/bin" };
    const request = requestOf("", contractPlace(), { argv: ["/usr/bin/env", "-0"], env });
    const { stdout } = await collected(await executor.start(request));
    const pairs = stdout.split("\0").filter(Boolean).sort();
    expect(pairs).toEqual(["EMPTY=", "ONE=1", "PATH=/usr/bin:/bin", "SPACE=a b\nc"]);
  });

  it("adds the variables of the executor that the request asks for", async () => {
    const executor = await make();
    const envPolicy = {
      inherit: "core",
      ignoreDefaultExcludes: true,
      exclude: [],
      set: { SET: "by policy" },
      includeOnly: [],
    } as const;
    const request = requestOf('echo "$SET $MORE"; [ -n "$HOME" ] && echo home', contractPlace(), {
      envPolicy,
      env: { MORE: "by request" },
    });
    const { stdout } = await collected(await executor.start(request));
    expect(stdout).toBe("by policy by request\nhome\n");
  });

  it("tells a command another name than that of its file", async () => {
    const executor = await make();
    const request = requestOf("echo $0", contractPlace(), { arg0: "renamed" });
    const argv = ["/bin/sh", "-c", "tr '\\0' '\\n' < /proc/$$/cmdline | head -1"];
    const { stdout } = await collected(await executor.start({ ...request, argv }));
    expect(stdout).toBe("renamed\n");
  });

  it("refuses a program that is not there", async () => {
    const executor = await make();
    const request = requestOf("", contractPlace(), { argv: ["/nowhere/program"] });
    await expect(executor.start(request)).rejects.toMatchObject({ code: "spawnFailed" });
  });

  it("refuses a folder that is not there", async () => {
    const executor = await make();
    const place = contractPlace();
    const cwd = uriOfNative(`${place.workspace}/nowhere`);
    await expect(executor.start(requestOf("true", place, { cwd }))).rejects.toMatchObject({
      code: "spawnFailed",
    });
  });

  it("refuses no program at all", async () => {
    const executor = await make();
    const request = requestOf("", contractPlace(), { argv: [] });
    await expect(executor.start(request)).rejects.toMatchObject({ code: "invalidRequest" });
  });

  it("ends a command with all it started, and says whether it ran", async () => {
    const executor = await make();
    const script = "trap '' TERM; sleep 300 & echo ready; sleep 300";
    const process = await executor.start(requestOf(script, contractPlace()));
    const ended = Promise.withResolvers<boolean>();
    const { exit } = await collected(process, ({ kind }) => {
      if (kind === "output") ended.resolve(process.terminate());
    });
    expect(await ended.promise).toBe(true);
    expect(exit.exitCode).toBe(137);
    expect(await process.terminate()).toBe(false);
  });

  it("runs commands beside each other without mixing them", async () => {
    const executor = await make();
    const place = contractPlace();
    const outputs = Array.from({ length: 8 }, async (_, n) => {
      const script = `for i in $(seq 500); do echo ${n}-$i; done; exit ${n}`;
      return collected(await executor.start(requestOf(script, place)));
    });
    for (const [n, { stdout, exit }] of (await Promise.all(outputs)).entries()) {
      expect(exit.exitCode).toBe(n);
      const expected = Array.from({ length: 500 }, (_, i) => `${n}-${i + 1}\n`).join("");
      expect(stdout).toBe(expected);
    }
  });

  it("does not let a command whose output nobody reads hold up another", async () => {
    const executor = await make();
    const place = contractPlace();
    const unread = await executor.start(requestOf("yes | head -c 8000000", place));
    const other = await executor.start(requestOf("echo here", place));
    expect((await collected(other)).stdout).toBe("here\n");
    expect((await collected(unread)).stdout).toHaveLength(8_000_000);
  });

  it("ends what still runs when it is closed", async () => {
    const executor = await make();
    const process = await executor.start(requestOf("echo $$; exec sleep 300", contractPlace()));
    const events = process.events[Symbol.asyncIterator]();
    const { value } = await events.next();
    const pid = value?.kind === "output" ? Number(Buffer.from(value.chunk).toString()) : 0;
    expect(pid).toBeGreaterThan(1);
    await executor.close();
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it("lets nothing run on that was being started when it was closed", async () => {
    const executor = await make();
    const place = contractPlace();
    const sandbox = intentOf("workspace-write", place);
    const script = "while sleep 0.05; do echo >>ticks; done";
    const starting = executor.start(requestOf(script, place, { sandbox }));
    starting.catch(() => {});
    await sleep(0);
    await executor.close();
    await Promise.allSettled([starting]);
    const ticks = () => statSync(`${place.workspace}/ticks`, { throwIfNoEntry: false })?.size;
    const before = ticks();
    await sleep(500);
    expect(ticks()).toBe(before);
  });

  it("runs nothing of a start that was given up before", async () => {
    const executor = await make();
    const place = contractPlace();
    const reason = new ExecError("invalidRequest", "nobody wants it");
    const started = executor.start(requestOf(">ran", place), AbortSignal.abort(reason));
    await expect(started).rejects.toMatchObject({ code: "invalidRequest" });
    expect(existsSync(`${place.workspace}/ran`)).toBe(false);
  });

  it("runs nothing of a start that was given up meanwhile, or says so", async () => {
    const executor = await make();
    const place = contractPlace();
    const sandbox = intentOf("workspace-write", place);
    const outcomes = Array.from({ length: 12 }, async (_, round) => {
      const request = requestOf(`>ran-${round}; exec sleep 300`, place, { sandbox });
      const started = await givenUpAfter(round * 4, (signal) => executor.start(request, signal));
      if (started.status === "rejected") return { round, why: String(started.reason.message) };
      started.value.terminate().catch(() => {});
      await collected(started.value);
      return undefined;
    });
    const refused = (await Promise.all(outcomes)).filter((one) => one !== undefined);
    const untold = refused.filter(({ why }) => !why.includes("it ran by then"));
    const ran = untold.filter(({ round }) => existsSync(`${place.workspace}/ran-${round}`));
    expect(ran).toEqual([]);
  });

  it(receipts ? "keeps a receipt of a run" : "has no receipt where none is kept", async () => {
    const executor = await make();
    const ids = { thread: "no uuid", toolCall: "call-1", turn: "7", tool: "bash" };
    const process = await executor.start(requestOf("exit 3", contractPlace(), { ids }));
    await collected(process);
    const receipt = await process.receipt;
    if (!receipts) expect(receipt).toBeUndefined();
    else {
      expect(receipt).toMatchObject({
        ids,
        outcome: { kind: "exited", code: 3 },
        waived: { by: "test", reason: "it is about something else" },
      });
    }
  });
}

async function givenUpAfter<T>(
  ms: number,
  start: (signal: AbortSignal) => Promise<T>,
): Promise<PromiseSettledResult<T>> {
  const giveUp = new AbortController();
  const started = Promise.allSettled([start(giveUp.signal)]);
  await sleep(ms);
  giveUp.abort(new ExecError("invalidRequest", "nobody wants it any more"));
  const [settled] = await started;
  return settled;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
