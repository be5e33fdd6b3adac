/** `command/exec` in real sandboxes, as both users. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { USERS } from "../support/sandbox-user.ts";
import { commandLab, sh, sharedLab } from "./support/command-lab.ts";

describe.each(USERS)("command/exec as %s", (user) => {
  const shared = sharedLab(user);

  it("E01: a policy of its own decides what a command may write", async () => {
    const { command, place } = shared();
    const files = [path.join(place.workspace, "in"), path.join(place.outside, "out")];
    const run = async (sandboxPolicy: object) => {
      const script = `touch ${files[0]}; touch ${files[1]}`;
      const ran = await command.exec({ command: sh(script), sandboxPolicy });
      return { ...ran, made: files.map((file) => existsSync(file)) };
    };
    const stderr = expect.stringContaining("Read-only file system");
    const readOnly = { stderr, made: [false, false] };
    expect(await run({ type: "readOnly" })).toMatchObject(readOnly);
    expect(await run({ type: "externalSandbox" })).toMatchObject(readOnly);
    expect(await run({ type: "workspaceWrite" })).toMatchObject({ stderr, made: [true, false] });
    expect(await run({ type: "dangerFullAccess" })).toMatchObject({
      stderr: "",
      made: [true, true],
    });
  });

  it("E01: without one the policy of the server holds", async () => {
    const { command, place } = commandLab(user, ":read-only");
    const { exitCode, stderr } = await command.exec({ command: sh("touch here") });
    expect({ exitCode, stderr }).toMatchObject({ stderr: expect.stringContaining("Read-only") });
    expect(readdirSync(place.workspace)).toEqual([]);
  });

  it("E02 E07: the folder of the request is the workspace, and that of the server is not", async () => {
    const { command, place } = shared();
    for (const policy of [
      { permissionProfile: ":workspace" },
      { sandboxPolicy: { type: "workspaceWrite" } },
    ]) {
      const script = `pwd; touch there && touch ${place.workspace}/server`;
      const ran = await command.exec({ command: sh(script), cwd: place.outside, ...policy });
      expect(ran).toMatchObject({ stdout: `${place.outside}\n` });
      expect(ran.stderr).toContain("Read-only file system");
    }
    expect(existsSync(path.join(place.outside, "there"))).toBe(true);
    expect(existsSync(path.join(place.workspace, "server"))).toBe(false);
  });

  it("E04: exits with 124 after its time, 128 + n after a signal, and its own code otherwise", async () => {
    const { command } = shared();
    const run = (script: string, more = {}) => command.exec({ command: sh(script), ...more });
    expect(await run("echo a; sleep 60", { timeoutMs: 300 })).toMatchObject({ exitCode: 124 });
    expect(await run("true", { timeoutMs: 0 })).toMatchObject({ exitCode: 124 });
    expect(await run("kill -9 $$")).toMatchObject({ exitCode: 137 });
    expect(await run("kill -15 $$")).toMatchObject({ exitCode: 143 });
    expect(await run("exit 127")).toMatchObject({ exitCode: 127 });
    const own = { exitCode: 7, stdout: "out\n", stderr: "err\n" };
    expect(await run("echo out; echo err >&2; exit 7")).toEqual(own);
  });

  it("E06: marks a command without network, and only that", async () => {
    const { command } = shared();
    const script = "echo [$CODEX_SANDBOX_NETWORK_DISABLED]";
    const run = async (sandboxPolicy: object) =>
      (await command.exec({ command: sh(script), sandboxPolicy })).stdout;
    expect(await run({ type: "readOnly" })).toBe("[1]\n");
    expect(await run({ type: "readOnly", networkAccess: true })).toBe("[]\n");
    expect(await run({ type: "dangerFullAccess" })).toBe("[]\n");
  });

  it("says that a program or a folder is missing instead of running anything", async () => {
    const { command } = shared();
    for (const type of ["readOnly", "dangerFullAccess"]) {
      const missing = { command: ["/no/such/bin"], sandboxPolicy: { type } };
      await expect(command.exec(missing)).rejects.toMatchObject({
        wireCode: -32603,
        message: expect.stringMatching(/^failed to spawn command: Cannot start /),
      });
    }
    await expect(command.exec({ command: ["true"], cwd: "/no/such" })).rejects.toMatchObject({
      wireCode: -32603,
      message: expect.stringMatching(/^failed to spawn command: .*"\/no\/such"/),
    });
  });

  it("hands on the variables of every command, without what was taken away", async () => {
    const { command } = shared();
    const script = "echo $FOO/$SERVER_SECRET/$SERVER_WORD/$HOME";
    const env = { FOO: "bar", HOME: null };
    const { stdout } = await command.exec({ command: sh(script), env });
    expect(stdout).toBe("bar//plain/\n");
  });

  it("gives no input to what does not stream it", async () => {
    const { command } = shared();
    expect((await command.exec({ command: sh("cat; echo eof") })).stdout).toBe("eof\n");
  });

  it("streams before it answers, and takes what is written", async () => {
    const lab = shared();
    const asked = { processId: "s", streamStdin: true, streamStdoutStderr: true };
    const script = "echo ready; read x; echo got:$x >&2; cat";
    const result = lab.command.exec({ command: sh(script), ...asked });
    await lab.untilPrinted("ready");
    const write = (text: string, closeStdin: boolean) =>
      lab.command.execWrite({
        processId: "s",
        deltaBase64: Buffer.from(text).toString("base64"),
        closeStdin,
      });
    await write("hi\n", false);
    await lab.untilPrinted("got:hi");
    await write("rest", true);
    expect(await result).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    expect(lab.printed.filter(([processId]) => processId === "s")).toEqual([
      ["s", "stdout", "ready\n"],
      ["s", "stderr", "got:hi\n"],
      ["s", "stdout", "rest"],
    ]);
  });

  it("gives a terminal of the size that was asked for, and resizes it", async () => {
    const lab = shared();
    const script = "stty size; read x; stty size";
    const size = { rows: 31, cols: 101 };
    const result = lab.command.exec({ command: sh(script), processId: "t", tty: true, size });
    await lab.untilPrinted("31 101");
    await lab.command.execResize({ processId: "t", size: { rows: 12, cols: 34 } });
    const deltaBase64 = Buffer.from("x\n").toString("base64");
    await lab.command.execWrite({ processId: "t", deltaBase64 });
    expect((await result).exitCode).toBe(0);
    const printed = lab.printed.filter(([processId]) => processId === "t");
    expect(printed.map(([, , text]) => text).join("")).toContain("12 34");
    expect(new Set(printed.map(([, stream]) => stream))).toEqual(new Set(["stdout"]));
  });

  it.each([{ tty: false }, { tty: true }])("ends a command with 137, %j", async ({ tty }) => {
    const lab = shared();
    const asked = { processId: "p", streamStdoutStderr: true, tty, disableTimeout: true };
    const result = lab.command.exec({ command: sh(`echo up-${tty}; sleep 600`), ...asked });
    await lab.untilPrinted(`up-${tty}`);
    await lab.command.execTerminate({ processId: "p" });
    expect((await result).exitCode).toBe(137);
  });

  it("lets nothing outlive its connection, sandboxed or not", async () => {
    const lab = commandLab(user);
    const { workspace } = lab.place;
    const types = ["workspaceWrite", "dangerFullAccess"];
    for (const type of types) {
      const script = `stamp() { date +%s%N > ${workspace}/${type}.next; mv ${workspace}/${type}.next ${workspace}/${type}; }; stamp; echo up-${type}; while :; do stamp; sleep 0.05; done`;
      const asked = { processId: type, streamStdoutStderr: true, disableTimeout: true };
      lab.command.exec({ command: sh(script), sandboxPolicy: { type }, ...asked }).catch(() => {});
      await lab.untilPrinted(`up-${type}`);
    }
    await lab.end();
    const stamps = () => types.map((one) => readFileSync(path.join(workspace, one), "utf8"));
    const before = stamps();
    await new Promise((done) => setTimeout(done, 300));
    expect(stamps()).toEqual(before);
    expect(before.every((stamp) => stamp !== "")).toBe(true);
  });
});
