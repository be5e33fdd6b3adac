import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  clientOf,
  connectWebSocket,
  createPeer,
  jsonRpc2,
  listenWebSocket,
  type WebSocketListener,
} from "../../../src/rpc/index.ts";
import { socketFiles } from "../../../src/rpc/transports/websocket/socket-files.ts";
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

  it("does not remove a socket that was bound while it looked", async () => {
    leaveStale();
    let looks = 0;
    const files = {
      ...socketFiles,
      look: () => {
        looks += 1;
        return { isSocket: true, identity: `${looks}` };
      },
      remove: () => {
        throw new Error("removed");
      },
    };
    const address = { kind: "unix", path: file, files } as const;
    const listening = listenWebSocket({ address, accept() {} });
    await expect(listening).rejects.toMatchObject({ code: "addressInUse" });
  });

  it("says that nobody is there", async () => {
    await expect(version()).rejects.toMatchObject({ code: "unreachable" });
  });
});
