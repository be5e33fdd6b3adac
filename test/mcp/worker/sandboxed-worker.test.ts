import { rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ExecError } from "../../../src/exec/index.ts";
import type { WorkerCall } from "../../../src/mcp/index.ts";
import { NONE, workerLab } from "./support/worker-lab.ts";

const apply = (call: WorkerCall) => call.apply();

describe("a call to a SandboxedWorker", () => {
  it("cannot be used once it is over", async () => {
    const { worker, full } = workerLab();
    const kept = await worker.call(full(), async (call) => {
      await call.apply();
      return call;
    });
    for (const use of [
      () => kept.apply(),
      () => kept.stage(),
      () => kept.revive(),
      () => kept.write("late\n"),
    ]) {
      await expect(use()).rejects.toThrow("it is over");
    }
  });

  it("is over also where its work throws", async () => {
    const { worker, full } = workerLab();
    let kept: WorkerCall | undefined;
    const failing = worker.call(full(), async (call) => {
      kept = call;
      throw new Error("of the server");
    });
    await expect(failing).rejects.toThrow("of the server");
    await expect(kept?.apply()).rejects.toThrow("it is over");
    expect(await worker.call(full(), apply)).toMatchObject({ kind: "applied" });
  });

  it("cannot write before it has applied its state, be the worker alive or not", async () => {
    const { worker, executor, full } = workerLab();
    await worker.call(full(), apply);
    for (const context of [full(), NONE]) {
      await expect(worker.call(context, (call) => call.write("x\n"))).rejects.toThrow(
        "has applied no state",
      );
    }
    const refused = worker.call(NONE, async (call) => {
      await call.apply();
      return call.write("x\n");
    });
    await expect(refused).rejects.toThrow("has applied no state");
    expect(executor.processes[0]?.written).toEqual([]);
  });

  it("has no licence from the call before it", async () => {
    const { worker, executor, full } = workerLab();
    await worker.call(full(), apply);
    expect(await worker.call(NONE, apply)).toMatchObject({ kind: "refused", code: "missing" });
    expect(await worker.call(NONE, (call) => call.stage())).toMatchObject({ code: "missing" });
    expect(worker.live).toBe(true);
    executor.processes[0]?.exit(1);
    await expect.poll(() => worker.live).toBe(false);
    expect(await worker.call(NONE, (call) => call.revive())).toBe(false);
    expect(executor.requests).toHaveLength(1);
  });

  it("revives nothing that lives, whatever its state", async () => {
    const { worker, executor, full, readOnly } = workerLab();
    await worker.call(full(), apply);
    expect(await worker.call(readOnly(), (call) => call.revive())).toBe(false);
    expect(executor.requests).toHaveLength(1);
  });

  it("writes to no other worker than the one it applied", async () => {
    const { worker, executor, full } = workerLab();
    const wrote = await worker.call(full(), async (call) => {
      await call.apply();
      executor.processes[0]?.exit(1);
      await expect.poll(() => worker.live).toBe(false);
      return call.write("x\n");
    });
    expect(wrote).toBe(false);
    expect(executor.processes[0]?.written).toEqual([]);
  });

  it("waits for those before it", async () => {
    const { worker, full } = workerLab();
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const calls = [1, 2, 3].map((number) =>
      worker.call(number === 2 ? NONE : full(), async () => {
        order.push(`begin ${number}`);
        if (number === 1) await gate.promise;
        order.push(`end ${number}`);
      }),
    );
    await expect.poll(() => order).toEqual(["begin 1"]);
    gate.resolve();
    await Promise.all(calls);
    expect(order).toEqual([1, 2, 3].flatMap((number) => [`begin ${number}`, `end ${number}`]));
  });
});

describe("the process of a SandboxedWorker", () => {
  it("is another under another state, and the same under the same", async () => {
    const { worker, executor, heard, full } = workerLab();
    const children: unknown[] = [];
    for (const folder of [".", ".", "sub", "sub", "."]) {
      children.push(await worker.call(full(folder), apply));
    }
    expect(children.map((one) => (one as { child: string }).child)).toEqual([
      ...["started", "kept", "changed", "kept", "changed"],
    ]);
    expect(executor.alive).toHaveLength(1);
    expect(heard).toEqual([["ended 0"], ["ended 0"], []]);
  });

  it("lives on where nothing can be started under the state of a call", async () => {
    const { worker, executor, full, readOnly } = workerLab();
    await worker.call(full(), apply);
    const start = executor.start.bind(executor);
    executor.start = async () => {
      throw new ExecError("unenforceable", "there is no sandbox here");
    };
    const refused = await worker.call(readOnly(), apply);
    expect(refused).toMatchObject({ kind: "refused", code: "unenforceable" });
    const writing = worker.call(readOnly(), async (call) => {
      await call.apply();
      return call.write("x\n");
    });
    await expect(writing).rejects.toThrow("has applied no state");
    executor.start = start;
    expect(await worker.call(full(), apply)).toMatchObject({ child: "kept" });
    expect(executor.processes[0]?.done).toEqual([]);
  });

  it("lives on where a restart asks for a folder that is not there", async () => {
    const { worker, executor, full } = workerLab();
    await worker.call(full(), apply);
    const refused = await worker.call(full("gone"), (call) => call.stage());
    expect(refused).toMatchObject({ kind: "refused", code: "unenforceable" });
    expect(executor.processes[0]?.done).toEqual([]);
    expect(await worker.call(full(), (call) => call.stage())).toBe(undefined);
    expect([worker.live, executor.alive]).toEqual([false, []]);
    expect(executor.requests).toHaveLength(1);
  });

  it("is ended where it does not end by itself", async () => {
    const { worker, executor, full } = workerLab();
    await worker.call(full(), apply);
    const [first] = executor.processes;
    if (first) first.polite = false;
    await worker.call(full("sub"), apply);
    expect(first?.done).toEqual(["closeInput", "terminate", "exit 137"]);
  });

  it("has a temporary folder, and a call gets one again after it could not be made", async () => {
    const { worker, executor, full, readOnly, scratchBase } = workerLab();
    writeFileSync(scratchBase, "");
    expect(await worker.call(readOnly(), apply)).toMatchObject({ code: "unenforceable" });
    rmSync(scratchBase);
    expect(await worker.call(full(), apply)).toMatchObject({ kind: "applied" });
    expect(executor.requests[0]?.env.TMPDIR).toMatch(/-anchors\//);
  });
});

describe("interrupting a SandboxedWorker", () => {
  it("reaches what its child waits for, too", async () => {
    const { worker, executor, full } = workerLab();
    await worker.call(full(), apply);
    await worker.interrupt();
    expect(executor.processes[0]?.done).toEqual(["interrupt of the group"]);
  });

  it("reaches the child alone where that has words to hear of it first", async () => {
    const words = { interrupt: "stop\n", shutdown: "end\n" };
    const { worker, executor, full } = workerLab({ words });
    await worker.call(full(), apply);
    await worker.interrupt();
    const [process] = executor.processes;
    expect([process?.written, process?.done]).toEqual([["stop"], ["interrupt of the command"]]);
  });

  it("leaves a child alone that took its place meanwhile", async () => {
    const words = { interrupt: "stop\n", shutdown: "end\n" };
    const { worker, executor, full } = workerLab({ words });
    await worker.call(full(), apply);
    const written = Promise.withResolvers<boolean>();
    if (executor.processes[0]) executor.processes[0].onWrite = () => written.promise;
    const interrupted = worker.interrupt();
    executor.processes[0]?.exit(1);
    await worker.call(full(), apply);
    written.resolve(true);
    await interrupted;
    expect(executor.processes.map(({ done }) => done)).toEqual([["exit 1"], []]);
  });
});

describe("closing a SandboxedWorker", () => {
  it("during a start leaves no process and no folder", async () => {
    const { worker, executor, scratches, full } = workerLab();
    const gate = Promise.withResolvers<void>();
    executor.gate = gate.promise;
    const starting = worker.call(full(), apply);
    await expect.poll(() => executor.requests.length).toBe(1);
    const closed = worker.close();
    gate.resolve();
    expect(await starting).toMatchObject({ kind: "refused" });
    await closed;
    expect([executor.processes.length, executor.alive, worker.live]).toEqual([1, [], false]);
    expect(scratches()).toEqual([]);
  });

  it("during a change of the state leaves neither process", async () => {
    const { worker, executor, scratches, full } = workerLab();
    await worker.call(full(), apply);
    const gate = Promise.withResolvers<void>();
    executor.gate = gate.promise;
    const changing = worker.call(full("sub"), apply);
    await expect.poll(() => executor.requests.length).toBe(2);
    const closed = worker.close();
    gate.resolve();
    expect(await changing).toMatchObject({ kind: "refused" });
    await closed;
    expect([executor.processes.length, executor.alive]).toEqual([2, []]);
    expect(scratches()).toEqual([]);
  });

  it("refuses the calls after it, and makes nothing for them", async () => {
    const { worker, executor, scratches, full } = workerLab();
    await worker.close();
    expect(await worker.call(full(), apply)).toMatchObject({ kind: "refused" });
    expect(await worker.call(full(), (call) => call.stage())).toMatchObject({ kind: "refused" });
    expect(await worker.call(full(), (call) => call.revive())).toBe(false);
    expect([executor.requests, scratches()]).toEqual([[], []]);
  });

  it("ends a call that waits for what the process prints", async () => {
    const { worker, heard, full } = workerLab();
    const waiting = worker.call(full(), async (call) => {
      await call.apply();
      await expect.poll(() => heard[0]).toEqual(["ended 0"]);
      return "over";
    });
    await expect.poll(() => worker.live).toBe(true);
    await worker.close();
    expect(await waiting).toBe("over");
  });
});
