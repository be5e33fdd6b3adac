/** Environments against real exec-servers on the loopback. */

import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEnvironments } from "../../../src/app-server/environments/create-environments.ts";
import { environmentHandlers } from "../../../src/app-server/environments/environment-handlers.ts";
import { environmentMethods } from "../../../src/app-server/protocol/environment-methods.ts";
import { listenWebSocket, type Transport } from "../../../src/rpc/index.ts";
import { collected } from "../../exec/contract/support/collected.ts";
import { contractPlace, requestOf } from "../../exec/contract/support/contract-place.ts";
import { execServer, localExecutor } from "../../exec/contract/support/our-executors.ts";

const SHELL = { name: "sh", path: "/bin/sh" };
const SECRET = "tok-SECRET-1";
/** Long enough for a busy machine where it has to succeed; nothing waits for it otherwise. */
const TIMES = { retryMs: 10, budgetMs: 3000 };
const NOBODY = "ws://127.0.0.1:9";

function lab(times = TIMES) {
  const local = localExecutor().executor;
  const description = { shell: SHELL, cwd: "file:///srv" };
  const bounds = { ceilings: [], waivers: "allowed" } as const;
  const environments = createEnvironments({ local, description, bounds, times });
  onTestFinished(() => environments.close());
  const handlers = environmentHandlers(environments);
  const call = (method: string) => ({ method, signal: new AbortController().signal });
  return {
    local,
    environments,
    add: (environmentId: string, execServerUrl: string, more = {}) => {
      const asked = { environmentId, execServerUrl, ...more };
      const params = environmentMethods.add.params.parse(asked);
      return handlers.add(params, undefined, call("environment/add"));
    },
    info: async (environmentId: string) =>
      handlers.info({ environmentId }, undefined, call("environment/info")),
    status: async (environmentId: string) =>
      handlers.status({ environmentId }, undefined, call("environment/status")),
  };
}

/** An exec-server of ours; `cut` ends its connections, `stop` it itself. */
async function served(port = 0, authorize = (_header: string | undefined) => true) {
  const server = execServer();
  const connections: Transport[] = [];
  const listener = await listenWebSocket({
    address: { kind: "tcp", host: "127.0.0.1", port },
    accept: (transport) => {
      connections.push(transport);
      server.accept(transport);
    },
    authorize: ({ headers }) =>
      authorize(headers.authorization) ? { kind: "ok" } : { kind: "refused", body: "no" },
  });
  onTestFinished(() => listener.close());
  return {
    url: listener.address,
    connections,
    cut: () => connections.at(-1)?.close("cut"),
    stop: async () => {
      await server.close();
      await listener.close();
    },
  };
}

/** The end of a connection is seen a moment after it. */
async function untilDropped(status: () => string): Promise<void> {
  while (status() === "ready") await new Promise((done) => setImmediate(done));
}

describe("environment/add", () => {
  it("connects to nothing until somebody needs it", async () => {
    const { add, status, environments } = lab();
    const { url, connections } = await served();
    expect(await add("box", url)).toEqual({});
    expect(await status("box")).toEqual({ status: "pending" });
    expect(connections).toHaveLength(0);
    await environments.executorOf("box");
    expect(await status("box")).toEqual({ status: "ready" });
    expect(connections).toHaveLength(1);
  });

  it("lists what was added after this machine", () => {
    const { add, environments } = lab();
    void add("b", NOBODY);
    void add("a", NOBODY);
    expect(environments.ids).toEqual(["local", "b", "a"]);
  });

  it("replaces one of the same id for whoever asks next", async () => {
    const { add, environments, info } = lab();
    const { url } = await served();
    void add("box", NOBODY);
    await expect(environments.executorOf("box")).rejects.toThrow("Cannot reach the executor");
    void add("box", url);
    expect(await info("box")).toMatchObject({ shell: { name: expect.any(String) } });
  });

  it("refuses more than a server can be asked to hold", () => {
    const { add, environments } = lab();
    for (let count = 0; count < 256; count += 1) void add(`box-${count}`, NOBODY);
    expect(() => add("one-more", NOBODY)).toThrow("expected at most 256");
    expect(environments.ids).toHaveLength(257);
    void add("box-1", NOBODY);
  });

  it("refuses the id of this machine, which stays what it is", async () => {
    const { add, environments, local } = lab();
    expect(() => add("local", NOBODY)).toThrow("environment id `local` is reserved");
    expect(await environments.executorOf("local")).toBe(local);
  });
});

describe("executorOf", () => {
  it("runs commands there, over one connection for all who ask", async () => {
    const { add, environments } = lab();
    const { url, connections } = await served();
    void add("box", url);
    const [one, other] = await Promise.all([
      environments.executorOf("box"),
      environments.executorOf("box"),
    ]);
    expect(one).toBe(other);
    expect(connections).toHaveLength(1);
    const ran = await collected(await one.start(requestOf("echo there", contractPlace())));
    expect(ran.stdout).toBe("there\n");
  });

  it("goes on over a drop, in the same session", async () => {
    const { add, environments, status } = lab();
    const { url, cut, connections } = await served();
    void add("box", url);
    const executor = await environments.executorOf("box");
    cut();
    await untilDropped(() => environments.statusOf("box").status);
    expect(await environments.executorOf("box")).toBe(executor);
    expect(await status("box")).toEqual({ status: "ready" });
    const ran = await collected(await executor.start(requestOf("echo on", contractPlace())));
    expect(ran.stdout).toBe("on\n");
    expect(connections).toHaveLength(2);
  });

  it("opens a session of its own on a server that knows nothing of the old one", async () => {
    const { add, environments, status } = lab();
    const first = await served();
    void add("box", first.url);
    const lost = await environments.executorOf("box");
    await first.stop();
    await untilDropped(() => environments.statusOf("box").status);
    const second = await served(Number(new URL(first.url).port));
    const found = await environments.executorOf("box");
    expect(found).not.toBe(lost);
    const ran = await collected(await found.start(requestOf("echo new", contractPlace())));
    expect(ran.stdout).toBe("new\n");
    expect(await status("box")).toEqual({ status: "ready" });
    await second.stop();
  });

  it("says that a server is gone, and finds it when it is back", async () => {
    const { add, environments, status, info } = lab();
    const first = await served();
    void add("box", first.url);
    const lost = await environments.executorOf("box");
    await first.stop();
    await expect(lost.start(requestOf("true", contractPlace()))).rejects.toMatchObject({
      code: "disconnected",
    });
    expect(await status("box")).toMatchObject({
      status: "disconnected",
      error: expect.any(String),
    });
    await expect(info("box")).rejects.toMatchObject({
      wireCode: -32603,
      message: expect.stringMatching(/^failed to get info for environment `box`: Cannot reach/),
    });
    await served(Number(new URL(first.url).port));
    await environments.executorOf("box");
    expect(await status("box")).toEqual({ status: "ready" });
  });

  it("gives up on what does not answer in the time that was said", async () => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    await once(silent, "listening");
    onTestFinished(() => void silent.close());
    const { add, environments, status } = lab({ ...TIMES, budgetMs: 60_000 });
    const { port } = silent.address() as { port: number };
    void add("box", `ws://127.0.0.1:${port}`, { connectTimeoutMs: 50 });
    await expect(environments.executorOf("box")).rejects.toMatchObject({
      code: "disconnected",
      message: expect.stringContaining("Opening handshake has timed out"),
    });
    expect(await status("box")).toMatchObject({ status: "disconnected" });
  });

  it("sends the token to its server, and shows it to nobody", async () => {
    const { add, environments, info, status } = lab();
    const seen: unknown[] = [];
    const { url } = await served(0, (header) => {
      seen.push(header);
      return header === `Bearer ${SECRET}`;
    });
    void add("box", url, { authBearerToken: SECRET });
    await environments.executorOf("box");
    expect(seen).toEqual([`Bearer ${SECRET}`]);
    void add("wrong", `${url}/?key=${SECRET}-key`, { authBearerToken: `${SECRET}-wrong` });
    const refused: unknown = await info("wrong").catch((error: unknown) => error);
    expect(refused).toMatchObject({ message: expect.stringContaining("401") });
    const told = [String(refused), JSON.stringify([await status("box"), await status("wrong")])];
    for (const text of told) expect(text).not.toContain("SECRET");
  });

  it("knows no environment that nobody added", async () => {
    const { environments, info, status } = lab();
    const message = "unknown environment id `none`";
    await expect(environments.executorOf("none")).rejects.toMatchObject({
      code: "invalidRequest",
      message,
    });
    await expect(info("none")).rejects.toMatchObject({ wireCode: -32600, message });
    expect(await status("none")).toEqual({ status: "unknown", error: message });
  });

  it("reaches nothing after the end", async () => {
    const { add, environments } = lab();
    const { url, connections } = await served();
    void add("box", url);
    await environments.close();
    await expect(environments.executorOf("box")).rejects.toThrow("this side has closed");
    expect(connections).toHaveLength(0);
  });
});

describe("environment/info", () => {
  it("tells the shell and the folder, of this machine and of others", async () => {
    const { add, info, status } = lab();
    expect(await info("local")).toEqual({ shell: SHELL, cwd: "file:///srv" });
    expect(await status("local")).toEqual({ status: "ready" });
    void add("box", (await served()).url);
    const there = await info("box");
    expect(Object.keys(there).sort()).toEqual(["cwd", "shell"]);
    expect(there.cwd).toBe("file:///");
  });
});
