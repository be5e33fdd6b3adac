/** Cases 43, 44, 46-49: reading what is kept, and the variables of a command. */
import { describe, expect, it } from "vitest";
import { sharedLab, startLab, WAYS } from "./support/exec-lab.ts";
import { until, type WireClient, type Wired } from "./support/wire-client.ts";
import { closed, printed, run, startOf } from "./support/wire-process.ts";

interface Read {
  readonly chunks: readonly { readonly seq: number; readonly chunk: string }[];
  readonly nextSeq: number;
  readonly closed: boolean;
}

const base64 = (text: string) => Buffer.from(text).toString("base64");
const text = ({ chunks }: Read) =>
  String(Buffer.concat(chunks.map(({ chunk }) => Buffer.from(chunk, "base64"))));

describe.each(WAYS)("over %s", (over) => {
  const lab = sharedLab({ over });
  const ws = () => lab().place.workspace;

  async function begin(client: WireClient, script: string, more: Wired = {}): Promise<string> {
    const start = startOf(ws(), script, more);
    await client.call("process/start", start);
    return start.processId;
  }

  it("43 waits for output, for the end, and no longer than it may", async () => {
    const client = await lab().client();
    const processId = await begin(client, "read x; echo out; read x; exit 6", { pipeStdin: true });
    const write = (writeId: string) =>
      client.call("process/write", { processId, chunk: base64("\n"), writeId });
    const read = (afterSeq: number, waitMs: number) =>
      client.call<Read>("process/read", { processId, afterSeq, waitMs });

    expect(await read(0, 50)).toMatchObject({ chunks: [], nextSeq: 1, exited: false });
    await write("1");
    expect(text(await read(0, 600_000))).toBe("out\n");
    await write("2");
    expect(await read(1, 600_000)).toMatchObject({ chunks: [], exited: true, exitCode: 6 });
    expect(await read(2, 600_000)).toMatchObject({
      chunks: [],
      nextSeq: 4,
      closed: true,
      failure: null,
      sandboxDenied: false,
    });
    expect(await read(99, 600_000)).toMatchObject({ chunks: [], nextSeq: 4, closed: true });
  });

  it("44 gives no more than was asked for, but always one chunk", async () => {
    const client = await lab().client();
    const script = "for i in 1 2 3; do read x; echo line$i; done";
    const processId = await begin(client, script, { pipeStdin: true });
    for (const line of ["line1", "line2", "line3"]) {
      await client.call("process/write", { processId, chunk: base64("\n"), writeId: line });
      await printed(client, processId, line);
    }
    await closed(client, processId);
    const read = (more: Wired) => client.call<Read>("process/read", { processId, ...more });

    const all = await read({});
    expect([text(all), all.nextSeq]).toEqual(["line1\nline2\nline3\n", 6]);
    for (const [maxBytes, count] of [
      [0, 1],
      [1, 1],
      [6, 1],
      [11, 1],
      [12, 2],
      [17, 2],
      [18, 3],
    ]) {
      const some = await read({ maxBytes });
      expect([maxBytes, some.chunks.length, some.nextSeq]).toEqual([
        maxBytes,
        count,
        (count ?? 0) + 1,
      ]);
    }
    expect(await read({ afterSeq: 1, maxBytes: 6 })).toMatchObject({ chunks: [{ seq: 2 }] });
    expect(await read({ afterSeq: 3, maxBytes: 6 })).toMatchObject({ chunks: [], nextSeq: 6 });
  });

  it("46 reads a process that is over, as often as wanted", async () => {
    const client = await lab().client();
    const processId = await begin(client, "echo once; exit 2");
    await closed(client, processId);
    for (const _ of [1, 2]) {
      const read = await client.call<Read>("process/read", { processId });
      expect(read).toMatchObject({ exited: true, exitCode: 2, closed: true, nextSeq: 4 });
      expect(text(read)).toBe("once\n");
    }
  });

  it("47 keeps the newest MiB of what was read, without a hole", async () => {
    const client = await lab().client();
    const processId = await begin(client, "seq 1 500000");
    const { stdout } = await closed(client, processId);
    const read = () => client.call<Read>("process/read", { processId });
    await until("what was read is let go", async () => text(await read()).length <= 1 << 20);
    const kept = await read();
    expect(text(kept).length).toBeGreaterThan(900_000);
    expect(stdout.endsWith(text(kept))).toBe(true);
    // Its exit has a number too, and may come before the last of its output.
    const { params: exited } = await client.waitNote(
      "process/exited",
      (params) => params.processId === processId,
    );
    const numbers = [...kept.chunks, exited].map(({ seq }) => seq).toSorted((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
    expect(kept.nextSeq).toBe((numbers.at(-1) ?? 0) + 2);
  });

  it("48 gives a command exactly its variables where nothing is inherited", async () => {
    const client = await lab().client();
    const start = startOf(ws(), "", { argv: ["/usr/bin/env"], env: { A: "1", B: "two words" } });
    const { stdout } = await run(client, start);
    expect(stdout.trim().split("\n").sort()).toEqual(["A=1", "B=two words"]);
  });
});

describe("48, 49 inherited variables", () => {
  const policy = (more: Wired = {}) => ({
    inherit: "all",
    ignoreDefaultExcludes: true,
    exclude: [],
    set: {},
    includeOnly: [],
    ...more,
  });
  const own = { LANG: "C", MY_TOKEN: "t", PLAIN: "p", node_repl_auth_token: "s" };
  const lab = sharedLab({ env: own });

  it.each([
    ["all", policy(), ["A", "HOME", "LANG", "MY_TOKEN", "PATH", "PLAIN"]],
    [
      "without secrets",
      policy({ ignoreDefaultExcludes: false }),
      ["A", "HOME", "LANG", "PATH", "PLAIN"],
    ],
    ["the core", policy({ inherit: "core" }), ["A", "HOME", "LANG", "PATH"]],
    ["none", policy({ inherit: "none", set: { SET: "1" } }), ["A", "SET"]],
    ["not excluded", policy({ exclude: ["pl*", "M?_*"] }), ["A", "HOME", "LANG", "PATH"]],
    ["only some", policy({ set: { SET: "1" }, includeOnly: ["S*", "lang"] }), ["A", "LANG", "SET"]],
  ])("are %s", async (_, envPolicy, names) => {
    const { place } = lab();
    const client = await lab().client();
    const start = startOf(place.workspace, "", {
      argv: ["/usr/bin/env"],
      env: { A: "a" },
      envPolicy,
    });
    const lines = (await run(client, start)).stdout.trim().split("\n");
    expect(namesIn(lines).filter((name) => name !== "WRIT_HOME" && name !== "PWD")).toEqual(names);
    expect(lines).toContain("A=a");
  });

  it("lie below the command's own", async () => {
    const client = await lab().client();
    const env = { PLAIN: "mine", CODEX_EXEC_SERVER_NOISE_AUTH_TOKEN: "s" };
    const envPolicy = policy({ set: { PLAIN: "set" } });
    const start = startOf(lab().place.workspace, "", { argv: ["/usr/bin/env"], env, envPolicy });
    const lines = (await run(client, start)).stdout.trim().split("\n");
    expect(lines).toContain("PLAIN=mine");
    expect(namesIn(lines)).not.toContain("CODEX_EXEC_SERVER_NOISE_AUTH_TOKEN");
  });

  it("need every member of the policy", async () => {
    const client = await lab().client();
    const { set: _, ...wrong } = policy();
    const start = startOf(lab().place.workspace, "true", { envPolicy: wrong });
    expect((await client.tryCall("process/start", start)).error?.code).toBe(-32602);
  });
});

function namesIn(lines: readonly string[]): string[] {
  return lines.map((line) => line.split("=")[0] ?? "").sort();
}

it("43 ends a wait when another process of the client prints, only for that one", async () => {
  const lab = await startLab({ flags: ["--concurrent-requests", "4"] });
  const client = await lab.open();
  const quiet = startOf(lab.place.workspace, "sleep 600");
  const loud = startOf(lab.place.workspace, "read x; echo loud; sleep 600", { pipeStdin: true });
  for (const start of [quiet, loud]) await client.call("process/start", start);
  const order: string[] = [];
  const waits = [quiet, loud].map(({ processId }) =>
    client.call("process/read", { processId, waitMs: 600_000 }).then(() => order.push(processId)),
  );
  const write = { processId: loud.processId, chunk: base64("\n"), writeId: "1" };
  await client.call("process/write", write);
  await printed(client, loud.processId, "loud");
  await waits[1];
  expect(order).toEqual([loud.processId]);
  for (const { processId } of [quiet, loud]) await client.call("process/terminate", { processId });
  await Promise.all(waits);
});
