/** Where this executor is stricter than Codex on purpose, and K17: nothing in a request decides how it is confined. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Place } from "../support/sandbox-user.ts";
import { sharedLab, startLab, uri } from "./support/exec-lab.ts";
import type { Wired } from "./support/wire-client.ts";
import { entry, intent, layOut, ROADS, runUnder, workspaceWrite } from "./support/wire-intent.ts";
import { closed, printed, startOf } from "./support/wire-process.ts";

const PATH = "/usr/bin:/bin";
/** What is run on the way to a command, or could be. */
const LAUNCHERS = [
  "bwrap",
  "codex-linux-sandbox",
  "unshare",
  "setsid",
  "prlimit",
  "nsenter",
  "node",
  "bash",
];

/** Programs of those names that leave a trace where no sandboxed command can write. */
function plant(folder: string, { outside }: Place): string {
  layOut(path.dirname(folder), { [`${path.basename(folder)}/`]: "" });
  for (const name of LAUNCHERS) {
    const text = `#!/bin/sh\necho ${name} >> ${outside}/ran\nexec /usr/bin/${name} "$@"\n`;
    fs.writeFileSync(path.join(folder, name), text, { mode: 0o755 });
  }
  return folder;
}

describe.each(ROADS)("over $over as $user", ({ over, user }) => {
  const lab = sharedLab({ over, user });
  const ran = async (script: string, more: Wired = {}) =>
    runUnder(await lab().client(), lab().place, {
      script,
      sandbox: workspaceWrite([lab().place.workspace]),
      ...more,
    });

  it.each(["outside", "workspace"] as const)(
    "76 STRICTER a launcher on the request's PATH, planted %s, is never run",
    async (where) => {
      const { place } = lab();
      const folder = plant(path.join(place[where], "bin"), place);
      const variables = { PATH: `${folder}:${PATH}` };
      const set = {
        inherit: "none",
        ignoreDefaultExcludes: true,
        exclude: [],
        set: variables,
        includeOnly: [],
      };
      for (const more of [{}, { tty: true }, { arg0: "named" }]) {
        expect(await ran("true", { env: variables, ...more })).toMatchObject({ exitCode: 0 });
        expect(await ran("true", { env: {}, envPolicy: set, ...more })).toMatchObject({
          exitCode: 0,
        });
      }
      expect(fs.existsSync(path.join(place.outside, "ran"))).toBe(false);
    },
  );

  it("K17 variables that load code into programs have no effect outside the sandbox", async () => {
    const { outside, workspace } = lab().place;
    layOut(workspace, {
      "evil.cjs": `require("fs").writeFileSync("${outside}/by-node", "")`,
      "evil.sh": `echo > ${outside}/by-shell\n`,
    });
    const env = {
      PATH,
      LD_DEBUG: "files",
      LD_DEBUG_OUTPUT: path.join(outside, "by-ld"),
      LD_PRELOAD: path.join(workspace, "none.so"),
      NODE_OPTIONS: `--require=${workspace}/evil.cjs`,
      BASH_ENV: path.join(workspace, "evil.sh"),
      ENV: path.join(workspace, "evil.sh"),
      GIT_CONFIG_GLOBAL: path.join(workspace, "evil.sh"),
      WRIT_HOME: path.join(workspace, "home"),
    };
    for (const more of [{}, { tty: true }, { arg0: "named" }]) {
      expect(await ran("true", { env, ...more })).toMatchObject({ exitCode: 0 });
    }
    expect(fs.readdirSync(outside).filter((name) => name.startsWith("by-"))).toEqual([]);
    expect(fs.existsSync(path.join(workspace, "home"))).toBe(false);
  });

  it.each(["/", "base", "outside"])(
    "86b STRICTER TMPDIR=%s in the command's variables opens nothing",
    async (which) => {
      const { workspace, outside } = lab().place;
      const at = { base: path.dirname(workspace), outside }[which] ?? which;
      const variables = { PATH, TMPDIR: at, TMP: at, TEMP: at };
      const script = `echo $TMPDIR; touch ${outside}/by-tmpdir; touch ${workspace}/../by-tmpdir`;
      const policy = {
        inherit: "all",
        ignoreDefaultExcludes: true,
        exclude: [],
        set: variables,
        includeOnly: [],
      };
      for (const more of [{ env: variables }, { env: { PATH }, envPolicy: policy }]) {
        expect(await ran(script, more)).toMatchObject({
          stdout: `${at}\n`,
          exitCode: 1,
          sandboxDenied: true,
        });
      }
      expect(fs.existsSync(path.join(outside, "by-tmpdir"))).toBe(false);
      expect(fs.existsSync(path.join(workspace, "../by-tmpdir"))).toBe(false);
    },
  );

  it("86b STRICTER folders that the context calls temporary, or the user's, open nothing", async () => {
    const { workspace, outside } = lab().place;
    const said = { temporaryDirectories: [uri(outside)], userHomeDir: uri(outside) };
    const sandbox = { ...workspaceWrite([workspace]), ...said };
    expect(await ran(`touch ${outside}/by-context`, { sandbox })).toMatchObject({ exitCode: 1 });
    expect(fs.existsSync(path.join(outside, "by-context"))).toBe(false);
  });

  it("STRICTER refuses a cwd that the policy hides, instead of running in /", async () => {
    const { workspace, outside } = lab().place;
    const hidden = workspaceWrite([workspace], [entry(outside, "deny")]);
    const little = intent([entry(":minimal", "read")]);
    for (const more of [{ sandbox: hidden, cwd: uri(outside) }, { sandbox: little }]) {
      expect(await ran("pwd", more)).toMatchObject({
        code: -32602,
        message: expect.stringContaining("the policy hides it"),
      });
    }
  });

  it("D9 a cwd of / opens nothing, and .. is no path", async () => {
    const { workspace } = lab().place;
    const sandbox = { ...workspaceWrite([]), cwd: "file:///" };
    const told = await ran(`pwd; touch by-cwd ${workspace}/by-cwd`, { sandbox, cwd: "file:///" });
    expect(told).toMatchObject({ stdout: "/\n", exitCode: 1, sandboxDenied: true });
    expect(fs.existsSync("/by-cwd") || fs.existsSync(path.join(workspace, "by-cwd"))).toBe(false);
    for (const cwd of ["..", "../..", ".", ""]) {
      expect(await ran("pwd", { cwd })).toMatchObject({ code: -32602 });
    }
  });

  it.each([false, true])(
    "STRICTER ^C reaches the command's own trap in the sandbox (tty: %s)",
    async (tty) => {
      const { workspace } = lab().place;
      const client = await lab().client();
      const script = "trap 'echo caught; exit 7' INT; echo ready; while :; do sleep 0.05; done";
      const params = startOf(workspace, script, { sandbox: workspaceWrite([workspace]), tty });
      await client.call("process/start", params);
      await printed(client, params.processId, "ready");
      await client.call("process/signal", { processId: params.processId, signal: "interrupt" });
      const { stdout, pty, exitCode } = await closed(client, params.processId);
      expect(stdout + pty).toContain("caught");
      expect(exitCode).toBe(7);
    },
  );

  it("STRICTER ^C typed into the terminal of a sandbox reaches the command", async () => {
    const { workspace } = lab().place;
    const client = await lab().client();
    const script = "trap 'echo caught; exit 7' INT; echo ready; while :; do sleep 0.05; done";
    const params = startOf(workspace, script, { sandbox: workspaceWrite([workspace]), tty: true });
    await client.call("process/start", params);
    await printed(client, params.processId, "ready");
    const chunk = Buffer.from("\x03").toString("base64");
    await client.call("process/write", { processId: params.processId, chunk, writeId: "w" });
    const { pty, exitCode } = await closed(client, params.processId);
    expect(pty).toContain("caught");
    expect(exitCode).toBe(7);
  });
});

it("STRICTER refuses to make a missing protected name instead of saying that it did", async () => {
  const lab = await startLab();
  const { workspace } = lab.place;
  const client = await lab.open();
  const sandbox = { ...workspaceWrite([workspace]), cwd: uri(workspace) };
  const at = path.join(workspace, ".codex");
  const { error } = await client.tryCall("fs/createDirectory", { path: uri(at), sandbox });
  expect(error?.message).toContain("Read-only file system");
  expect(fs.existsSync(at)).toBe(false);
});

describe("replies", () => {
  it("64 STRICTER an answer over 16 MiB comes in fragments, each within the limit of a frame", async () => {
    const lab = await startLab();
    const file = path.join(lab.place.workspace, "large");
    fs.writeFileSync(file, Buffer.alloc(18 << 20, "x"));
    const client = await lab.connect();
    await client.open();
    const { dataBase64 } = await client.call<{ dataBase64: string }>("fs/readFile", {
      path: uri(file),
      sandbox: null,
    });
    expect(dataBase64.length).toBe(4 * Math.ceil((18 << 20) / 3));
    expect(largestFrame(lab.url, uri(file))).toBeLessThanOrEqual(16 << 20);
  });

  it("STRICTER answers every one of 500 pipelined requests, those that are refused too", async () => {
    const lab = await startLab();
    const { workspace } = lab.place;
    const client = await lab.open();
    const sandbox = workspaceWrite([workspace]);
    const kinds = [
      [
        "process/start",
        () => startOf(workspace, "true", { sandbox }),
        { result: { sandboxType: "linuxSeccomp" } },
      ],
      [
        "process/start",
        () => startOf(workspace, "true", { sandbox: {} }),
        { error: { code: -32602 } },
      ],
      [
        "fs/readFile",
        () => ({ path: uri("/nonexistent"), sandbox: null }),
        { error: { code: -32004 } },
      ],
      ["environment/status", () => undefined, { result: { status: "ready" } }],
    ] as const;
    const asked = Array.from(
      { length: 500 },
      (_, index) => kinds[index % 40 === 0 ? 0 : 1 + (index % 3)],
    );
    const answers = asked.map((kind) => kind && client.tryCall(kind[0], kind[1]()));
    for (const [index, answer] of (await Promise.all(answers)).entries()) {
      expect(answer).toMatchObject(asked[index]?.[2] ?? {});
    }
  });
});

/** Reads the same file over a plain socket and measures the frames themselves. */
function largestFrame(url: string, file: string): number {
  const { port } = new URL(url);
  const script = `
    const net = require("net"), s = net.connect(${port}, "127.0.0.1");
    let buffer = Buffer.alloc(0), upgraded = false, most = 0;
    const send = (value) => {
      const body = Buffer.from(JSON.stringify(value)), head = Buffer.from([0x81, 0x80 | 126, body.length >> 8, body.length & 255, 0, 0, 0, 0]);
      s.write(Buffer.concat([head, body]));
    };
    s.write("GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\nSec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\\r\\n\\r\\n");
    const chunks = [];
    let have = 0;
    s.on("data", (chunk) => { chunks.push(chunk); have += chunk.length; if (have > 65536 || !upgraded || chunks.length === 1) step(); });
    setInterval(step, 50).unref();
    function step() {
      buffer = Buffer.concat([buffer, ...chunks.splice(0)]); have = 0;
      if (!upgraded) {
        const end = buffer.indexOf("\\r\\n\\r\\n"); if (end < 0) return;
        upgraded = true; buffer = buffer.subarray(end + 4);
        send({ id: 1, method: "initialize", params: { clientName: "frames", resumeSessionId: null } });
        send({ method: "initialized" });
        send({ id: 2, method: "fs/readFile", params: { path: ${JSON.stringify(file)}, sandbox: null } });
      }
      for (;;) {
        if (buffer.length < 2) return;
        const short = buffer[1] & 127, head = short === 126 ? 4 : short === 127 ? 10 : 2;
        if (buffer.length < head) return;
        const size = short === 126 ? buffer.readUInt16BE(2) : short === 127 ? Number(buffer.readBigUInt64BE(2)) : short;
        if (short === 127 || size > most) most = Math.max(most, size);
        if (buffer.length < head + size) return;
        const final = buffer[0] & 128, opcode = buffer[0] & 15, text = buffer.subarray(head, head + 40).toString();
        buffer = buffer.subarray(head + size);
        if (final && (opcode === 0 || size > 20000000)) { console.log(most); process.exit(); }
      }
    }`;
  const { stdout } = spawnSync(process.execPath, ["-e", script], {
    encoding: "utf8",
    timeout: 100_000,
  });
  return Number(stdout.trim() || Number.NaN);
}
