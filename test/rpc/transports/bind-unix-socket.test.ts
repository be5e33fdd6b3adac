import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  clientOf,
  connectWebSocket,
  createPeer,
  jsonRpc2,
  listenWebSocket,
  type WebSocketListener,
} from "../../../src/rpc/index.ts";
import { socketFiles } from "../../../src/rpc/transports/websocket/socket-files.ts";
import { bundledProgram } from "../../support/bundled-program.ts";
import { sample, serveSample } from "../support/sample-protocol.ts";

let folder = "";
let file = "";
const listeners: WebSocketListener[] = [];

async function listen(): Promise<WebSocketListener> {
  const accept = (transport: Parameters<typeof serveSample>[0]) => void serveSample(transport);
  const address = { kind: "unix", path: file } as const;
  const listener = await listenWebSocket({ address, accept });
  listeners.push(listener);
  return listener;
}

async function version(): Promise<unknown> {
  const transport = await connectWebSocket({ kind: "unix", path: file });
  const peer = createPeer({ transport, dialect: jsonRpc2, log() {} });
  const answer = await clientOf(sample.toServer, peer).version();
  peer.close();
  return answer;
}

/** A socket file whose process is gone. */
function leaveStale(): void {
  const script = `require("net").createServer().listen(${JSON.stringify(file)}, () => process.kill(process.pid, "SIGKILL"))`;
  spawnSync(process.execPath, ["-e", script]);
}

/** One that no process was ended for: the listener is closed, its file has another name by then. */
async function leaveUnheard(): Promise<void> {
  const server = net.createServer().listen(`${file}.left`);
  await once(server, "listening");
  fs.renameSync(`${file}.left`, file);
  server.close();
  await once(server, "close");
}

const rivalProgram = bundledProgram(path.join(import.meta.dirname, "support/bind-when-told.ts"));

/** Another process that is ready to bind `socket`, and says how that went. */
function startRival(socket: string) {
  const child = spawn(process.execPath, [rivalProgram(), socket], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const word = async () => String(await once(child.stdout, "data")).trim();
  const end = () => {
    child.stdin.end();
    return exited;
  };
  return { word, bind: () => child.stdin.write("bind"), end };
}

/** The same function, except that its first call throws. */
function failOnce<A extends unknown[], R>(act: (...args: A) => R): (...args: A) => R {
  let failed = false;
  return (...args) => {
    if (failed) return act(...args);
    failed = true;
    throw Object.assign(new Error("no permission"), { code: "EPERM" });
  };
}

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "rpc-"));
  file = path.join(folder, "a:b.sock");
});

afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.close()));
  fs.rmSync(folder, { recursive: true });
});

describe("listenWebSocket on a socket file", () => {
  it("serves the same protocol and says its path", async () => {
    expect((await listen()).address).toBe(file);
    expect(await version()).toEqual({ version: 1 });
  });

  it("lets only the owner in, whatever the umask", async () => {
    const mask = process.umask(0);
    await listen();
    expect(process.umask(mask)).toBe(0);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  });

  it("is closed to others from the moment the file appears", async () => {
    const mask = process.umask(0);
    const files = { ...socketFiles, setMode() {} };
    const address = { kind: "unix", path: file, files } as const;
    listeners.push(await listenWebSocket({ address, accept() {} }));
    process.umask(mask);
    expect(fs.statSync(file).mode & 0o077).toBe(0);
  });

  it("removes the file when it closes", async () => {
    await (await listen()).close();
    expect(fs.existsSync(file)).toBe(false);
  });

  it("refuses the path of a live listener and leaves it alive", async () => {
    await listen();
    await expect(listen()).rejects.toMatchObject({ name: "TransportError", code: "addressInUse" });
    expect(await version()).toEqual({ version: 1 });
  });

  it("replaces a socket that nobody listens on", async () => {
    leaveStale();
    expect(fs.lstatSync(file).isSocket()).toBe(true);
    await listen();
    expect(await version()).toEqual({ version: 1 });
  });

  it("refuses a path that is not a socket and leaves it untouched", async () => {
    fs.writeFileSync(file, "precious");
    await expect(listen()).rejects.toMatchObject({ code: "addressInUse" });
    expect(fs.readFileSync(file, "utf8")).toBe("precious");
  });

  it("says that a path is too long to bind", async () => {
    file = path.join(folder, "x".repeat(200));
    await expect(listen()).rejects.toMatchObject({ code: "cannotBind" });
  });

  it("says that there is no folder to put it in", async () => {
    file = path.join(folder, "gone", "s");
    await expect(listen()).rejects.toMatchObject({
      code: "cannotBind",
      message: `Cannot listen on "${file}": there is no folder "${path.dirname(file)}", expected one`,
    });
  });

  it("gives a stale path to one of two listeners that want it at once", async () => {
    for (let round = 0; round < 10; round += 1) {
      await leaveUnheard();
      const outcomes = await Promise.allSettled([listen(), listen()]);
      const refused = outcomes.filter(({ status }) => status === "rejected");
      expect(refused).toMatchObject([{ reason: { code: "addressInUse" } }]);
      expect(await version()).toEqual({ version: 1 });
      await Promise.all(listeners.splice(0).map((listener) => listener.close()));
      expect(fs.readdirSync(folder)).toEqual([]);
    }
  });

  it("gives a stale path to one of four processes that want it at once", async () => {
    for (let round = 0; round < 2; round += 1) {
      await leaveUnheard();
      const rivals = Array.from({ length: 4 }, () => startRival(file));
      await Promise.all(rivals.map(({ word }) => word()));
      const answers = rivals.map(({ word }) => word());
      for (const { bind } of rivals) bind();
      const words = await Promise.all(answers);
      expect(words.sort()).toEqual(["addressInUse", "addressInUse", "addressInUse", "bound"]);
      for (const { end } of rivals) await end();
    }
  });

  it("refuses while another process replaces the file", async () => {
    await leaveUnheard();
    fs.writeFileSync(`${file}.lock`, "");
    await expect(listen()).rejects.toMatchObject({ code: "addressInUse" });
    fs.rmSync(`${file}.lock`);
    await listen();
  });

  it("leaves a file that somebody else has bound since when it closes", async () => {
    const first = await listen();
    fs.unlinkSync(file);
    await listen();
    await first.close();
    expect(await version()).toEqual({ version: 1 });
  });

  it.each(["8099", "", "a.sock", "./a.sock", "/tmp/a\0b", "\0abstract"])(
    "refuses the path %j, which is no absolute path of a file",
    async (odd) => {
      file = odd;
      await expect(listen()).rejects.toMatchObject({ name: "TransportError", code: "cannotBind" });
      await expect(version()).rejects.toMatchObject({
        name: "TransportError",
        code: "unreachable",
      });
    },
  );

  it.each(["setMode", "link", "remove"] as const)(
    "leaves no file and no listener behind when %s fails",
    async (name) => {
      const act = socketFiles[name] as (...args: unknown[]) => unknown;
      const files = { ...socketFiles, [name]: failOnce(act) };
      const address = { kind: "unix", path: file, files } as const;
      const servers = vi.spyOn(http, "createServer");
      const listening = listenWebSocket({ address, accept() {} });
      await expect(listening).rejects.toMatchObject({ code: "cannotBind" });
      expect(fs.readdirSync(folder)).toEqual([]);
      expect(servers.mock.results.map(({ value }) => value.listening)).toEqual([false]);
      servers.mockRestore();
    },
  );

  it("says that nobody is there", async () => {
    await expect(version()).rejects.toMatchObject({
      code: "unreachable",
      message: `Cannot connect to "${file}": there is no such socket (ENOENT), expected that of a server`,
    });
  });
});
