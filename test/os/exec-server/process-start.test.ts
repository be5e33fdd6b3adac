/** Cases 29-38, 50 and 51: how a process starts, what it is heard of, and when it does not start. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { sharedLab, startLab, uri, WAYS } from "./support/exec-lab.ts";
import { keptReceipts } from "./support/kept-receipts.ts";
import { layOut, workspaceWrite } from "./support/wire-intent.ts";
import { closed, printed, run, startOf } from "./support/wire-process.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const NO_SUCH_FILE = /no such (file|program|folder)/i;

describe.each(WAYS)("over %s", (over) => {
  const lab = sharedLab({ over });
  const ws = () => lab().place.workspace;
  const confined = () => ({ sandbox: workspaceWrite([ws()]) });

  it("29 says whether it is confined", async () => {
    const client = await lab().client();
    const plain = startOf(ws(), "true");
    expect(await client.call("process/start", plain)).toEqual({
      processId: plain.processId,
      sandboxType: "none",
    });
    const boxed = startOf(ws(), "true", confined());
    expect(await client.call("process/start", boxed)).toEqual({
      processId: boxed.processId,
      sandboxType: "linuxSeccomp",
    });
    await closed(client, boxed.processId);
  });

  it.each([
    ["without a sandbox", () => ({})],
    ["in a sandbox", confined],
  ])("30 numbers what happens without a gap, %s", async (_, more) => {
    const client = await lab().client();
    const script = "echo out; sleep 0.1; echo err >&2; sleep 0.1; exit 7";
    const heard = await run(client, startOf(ws(), script, more()));
    expect(heard).toMatchObject({
      stdout: "out\n",
      stderr: "err\n",
      exitCode: 7,
      sandboxDenied: false,
    });
    expect(
      heard.events.map(({ method, params: { seq, stream } }) => [method, seq, stream]),
    ).toEqual([
      ["process/output", 1, "stdout"],
      ["process/output", 2, "stderr"],
      ["process/exited", 3, undefined],
      ["process/closed", 4, undefined],
    ]);
  });

  it("30 loses nothing of much output", async () => {
    const client = await lab().client();
    const heard = await run(client, startOf(ws(), "seq 1 400000"));
    expect(heard.stdout.length).toBe(2_688_895);
    expect(heard.stdout.endsWith("399999\n400000\n")).toBe(true);
    expect(heard.events.map(({ params }) => params.seq)).toEqual(heard.events.map((_, n) => n + 1));
    const sizes = heard.events.map(({ params }) => params.chunk?.length ?? 0);
    expect(Math.max(...sizes)).toBeLessThan(1 << 20);
  });

  it("31, 32 refuses an id that is taken, also by a process that is over", async () => {
    const client = await lab().client();
    const start = startOf(ws(), "exit 0");
    await run(client, start);
    expect((await client.tryCall("process/start", start)).error).toEqual({
      code: -32600,
      message: `process ${start.processId} already exists`,
    });
  });

  it("33 refuses an empty argv", async () => {
    const client = await lab().client();
    const { error } = await client.tryCall("process/start", { ...startOf(ws(), ""), argv: [] });
    expect(error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^argv must not be empty/),
    });
  });

  it.each([
    ["of another system", "file:///C:/work"],
    ["on another host", "file://server/work"],
    ["with a NUL", "file:///a%00b"],
    ["that is no URI", "/var/tmp"],
    ["of another scheme", "http://127.0.0.1/var/tmp"],
  ])("34 refuses a cwd %s and starts nothing", async (_, cwd) => {
    const client = await lab().client();
    const mark = path.join(ws(), "mark");
    const { error } = await client.tryCall("process/start", {
      ...startOf(ws(), `touch ${mark}`),
      cwd,
    });
    expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(/cwd|URI/i) });
    expect(fs.existsSync(mark)).toBe(false);
  });

  it.each([
    ["a program", { argv: ["/nonexistent/program"] }],
    ["a program on the PATH", { argv: ["no-such-program"] }],
    ["a program with a terminal", { argv: ["no-such-program"], tty: true }],
    ["a program of a path with a terminal", { argv: ["/nonexistent/program"], tty: true }],
    ["a cwd", { cwd: uri("/nonexistent") }],
  ])("35 refuses %s that is not there", async (_, wrong) => {
    const client = await lab().client();
    const start = { ...startOf(ws(), "true"), ...wrong };
    const { error } = await client.tryCall("process/start", start);
    expect(error).toMatchObject({ code: -32603, message: expect.stringMatching(NO_SUCH_FILE) });
    const again = { ...startOf(ws(), "true"), processId: start.processId };
    expect((await run(client, again)).exitCode).toBe(0);
  });

  it.each([
    ["a program", "no-such-program", "there is no such program"],
    ["what its first line names", "./script", "there is no such program as its first line names"],
  ])("35 names the program where %s is missing", async (_, program, why) => {
    layOut(ws(), { script: "#!/nonexistent/interpreter\n" });
    fs.chmodSync(path.join(ws(), "script"), 0o755);
    const client = await lab().client();
    const start = { ...startOf(ws(), ""), argv: [program] };
    const { error } = await client.tryCall("process/start", start);
    expect(error?.message).toContain(`Cannot start "${program}": ${why}`);
  });

  it("35 tells of a program that a sandbox does not have by its exit", async () => {
    const client = await lab().client();
    const start = { ...startOf(ws(), "", confined()), argv: ["/nonexistent/program"] };
    expect(await run(client, start)).toMatchObject({ exitCode: 127, sandboxDenied: false });
  });

  it.each([
    ["argv", { argv: ["echo", "a\0b"] }],
    ["env", { env: { "A=B": "c" } }],
    ["env", { env: { A: "x\0y" } }],
  ])("names %s where it is what no process can be given", async (field, wrong) => {
    const client = await lab().client();
    const start = { ...startOf(ws(), "true", confined()), ...wrong };
    const { error } = await client.tryCall("process/start", start);
    expect(error).toMatchObject({ code: -32602, data: { field } });
    expect(error?.message).not.toContain("sandbox");
  });

  it("35 refuses an empty program", async () => {
    const client = await lab().client();
    const { error } = await client.tryCall("process/start", { ...startOf(ws(), ""), argv: [""] });
    expect(error?.message).toMatch(/it is empty, expected a program$/);
  });

  it("35 refuses a cwd that is not there in a sandbox as well, and a file as cwd", async () => {
    const client = await lab().client();
    const missing = { ...startOf(ws(), "true", confined()), cwd: uri(path.join(ws(), "no")) };
    expect((await client.tryCall("process/start", missing)).error?.code).toBe(-32603);
    const file = { ...startOf(ws(), "true"), cwd: uri("/etc/hostname") };
    expect((await client.tryCall("process/start", file)).error?.code).toBe(-32603);
  });

  it("36 gives no input unless it is asked for", async () => {
    const client = await lab().client();
    const start = startOf(ws(), "cat; echo end of input; sleep 600");
    await client.call("process/start", start);
    const { processId } = start;
    await printed(client, processId, "end of input");
    const write = { processId, chunk: base64("x"), writeId: "1" };
    expect(await client.call("process/write", write)).toEqual({ status: "stdinClosed" });
    expect(await client.call("process/write", write)).toEqual({ status: "stdinClosed" });
    await client.call("process/terminate", { processId });
  });

  it.each([
    ["without a sandbox", () => ({})],
    ["in a sandbox", confined],
  ])("37 takes input through a pipe, %s", async (_, more) => {
    const client = await lab().client();
    const start = startOf(ws(), "read a; echo got $a; exit 4", { pipeStdin: true, ...more() });
    const { processId } = start;
    await client.call("process/start", start);
    await client.call("process/write", { processId, chunk: base64("wo"), writeId: "1" });
    await client.call("process/write", { processId, chunk: "", writeId: "2" });
    await client.call("process/write", { processId, chunk: base64("rd\n"), writeId: "3" });
    expect(await closed(client, processId)).toMatchObject({ stdout: "got word\n", exitCode: 4 });
    const late = { processId, chunk: base64("x"), writeId: "4" };
    expect(await client.call("process/write", late)).toEqual({ status: "accepted" });
  });

  it.each([
    ["without a sandbox", () => ({})],
    ["in a sandbox", confined],
  ])("38 gives a terminal of 24 by 80 that can be typed into, %s", async (_, more) => {
    const client = await lab().client();
    const script = "stty size; tty -s && echo a terminal; read a; echo got $a";
    const start = startOf(ws(), script, { tty: true, ...more() });
    const { processId } = start;
    await client.call("process/start", start);
    await printed(client, processId, "a terminal");
    await client.call("process/write", { processId, chunk: base64("typed\n"), writeId: "1" });
    const heard = await closed(client, processId);
    expect(heard.pty).toBe("24 80\r\na terminal\r\ntyped\r\ngot typed\r\n");
    expect([heard.stdout, heard.stderr, heard.exitCode]).toEqual(["", "", 0]);
  });

  it("50 tells a signal by 128 and its number, and by 1 with a terminal", async () => {
    const client = await lab().client();
    expect((await run(client, startOf(ws(), "kill -9 $$"))).exitCode).toBe(137);
    expect((await run(client, startOf(ws(), "kill -15 $$"))).exitCode).toBe(143);
    expect((await run(client, startOf(ws(), "kill -9 $$", confined()))).exitCode).toBe(137);
    expect((await run(client, startOf(ws(), "kill -9 $$", { tty: true }))).exitCode).toBe(1);
  });

  it("50 tells a signal in a sandbox by the number that bubblewrap has for it", async () => {
    const client = await lab().client();
    const start = startOf(ws(), "kill -9 $$", { ...confined(), tty: true });
    expect((await run(client, start)).exitCode).toBe(137);
    const [kept] = keptReceipts(lab().place).filter(({ ids }) => ids.process === start.processId);
    expect(kept?.outcome).toEqual({ kind: "exited", code: 137 });
  });

  it.each([
    ["without a sandbox", () => ({})],
    ["in a sandbox", confined],
    ["with a terminal", () => ({ tty: true })],
  ])("51 tells the program another name, %s", async (_, more) => {
    const client = await lab().client();
    const start = startOf(ws(), "echo $0; true", { arg0: "another name", ...more() });
    const { stdout, pty } = await run(client, {
      ...start,
      argv: ["/bin/sh", "-c", "tr '\\0' '|' </proc/$$/cmdline; echo"],
    } as typeof start);
    expect(stdout + pty).toMatch(/^another name\|-c\|/);
  });

  it.each([
    ["processId", "missing field `processId`"],
    ["argv", "missing field `argv`"],
    ["cwd", "missing field `cwd`"],
    ["env", "missing field `env`"],
    ["tty", "missing field `tty`"],
  ])("refuses a start without %s", async (field, message) => {
    const client = await lab().client();
    const { [field]: _, ...rest } = startOf(ws(), "true") as Record<string, unknown>;
    expect((await client.tryCall("process/start", rest)).error).toEqual({ code: -32602, message });
  });
});

it("31 starts one of many with one id, though they are worked off at once", async () => {
  const lab = await startLab({ flags: ["--concurrent-requests", "8"] });
  const client = await lab.open();
  const start = startOf(lab.place.workspace, "echo run >> runs");
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => client.tryCall("process/start", start)),
  );
  expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(1);
  await closed(client, start.processId);
  expect(fs.readFileSync(path.join(lab.place.workspace, "runs"), "utf8")).toBe("run\n");
});
