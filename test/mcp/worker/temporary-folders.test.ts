import path from "node:path";
import { describe, expect, it } from "vitest";
import type { StartRequest } from "../../../src/exec/index.ts";
import type { WorkerCall } from "../../../src/mcp/index.ts";
import { parseAbsolutePath, uriOfNative } from "../../../src/policy/index.ts";
import { workerLab } from "./support/worker-lab.ts";

const apply = (call: WorkerCall) => call.apply();

const OPEN = { type: "managed", file_system: { type: "unrestricted" }, network: "restricted" };

/** What a child may write to, by the policy it is started under and beside it. */
function writableOf({ sandbox }: StartRequest): string[] {
  if (sandbox.kind === "waived") return ["all"];
  const { profile } = sandbox.context;
  if (profile.type !== "managed" || profile.fileSystem.type === "unrestricted") return ["all"];
  const entries = [...profile.fileSystem.entries, ...(sandbox.opened ?? [])];
  return entries.flatMap(({ target, access }) =>
    access === "write" ? [target.type === "path" ? target.path : target.type] : [],
  );
}

/** The folder that its own is in, and nothing else. */
const placeOf = ({ env }: StartRequest) =>
  uriOfNative(parseAbsolutePath(path.dirname(env.TMPDIR ?? "")));

describe("the temporary folder of a child", () => {
  it("lies in a place of its own, which no other may write to nor put a link for", async () => {
    const { worker, executor, readOnly } = workerLab();
    await worker.call(readOnly(), apply);
    expect(await worker.call(readOnly(), apply)).toMatchObject({ child: "kept" });
    await worker.call(readOnly(), (call) => call.stage());
    expect(await worker.call(readOnly(), apply)).toMatchObject({ child: "started" });
    expect(executor.requests.map(writableOf)).toEqual(
      executor.requests.map((request) => [placeOf(request)]),
    );
    expect(new Set(executor.requests.map(placeOf)).size).toBe(2);
  });

  it("is not named where all is open but what is writ's own, as it is too", async () => {
    const { worker, executor, full } = workerLab();
    const text = JSON.stringify(full()).replace('{"type":"disabled"}', JSON.stringify(OPEN));
    expect(await worker.call(JSON.parse(text), apply)).toMatchObject({ kind: "applied" });
    expect(executor.requests.map(({ env }) => env.TMPDIR)).toEqual([undefined]);
  });

  it("is in the state that a call is told of, whether the child is new or not", async () => {
    const { worker, readOnly } = workerLab();
    const first = await worker.call(readOnly(), apply);
    const second = await worker.call(readOnly(), apply);
    expect(first).toMatchObject({ kind: "applied", state: worker.state });
    expect(second).toMatchObject({ kind: "applied", state: worker.state });
  });
});
