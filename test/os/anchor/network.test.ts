/** A network of its own: what one command of an anchor listens on, the next one reaches, and nobody else. */
import { once } from "node:events";
import net from "node:net";
import { describe, expect, it } from "vitest";
import { askAt, firstOutput, serveOn } from "../../exec/contract/support/loopback.ts";
import { USERS } from "../support/sandbox-user.ts";
import { anchorLab, sh } from "./support/anchor-lab.ts";

const PORT = 7718;
const NETWORK = sh("readlink /proc/self/ns/net");

describe.each(USERS)("as %s, an anchor", (user) => {
  it("lets a server that one command started answer the next", async () => {
    const { executor, anchors, request, run } = await anchorLab(user);
    await anchors.open({ anchorId: "a", ids: {} });
    const serving = await executor.start(request("a", serveOn(PORT)));
    expect(await firstOutput(serving)).toBe("serving\n");
    expect((await run("a", askAt(PORT))).stdout).toBe("hello\n");
    expect((await run("a", askAt(PORT), "read-only")).stdout).toBe("hello\n");
  });

  it("keeps its server from the host, other anchors and commands without one", async () => {
    const { executor, anchors, request, run } = await anchorLab(user);
    for (const anchorId of ["a", "b"]) await anchors.open({ anchorId, ids: {} });
    const serving = await executor.start(request("a", serveOn(PORT)));
    expect(await firstOutput(serving)).toBe("serving\n");
    expect(await reaches(PORT)).toBe("ECONNREFUSED");
    expect((await run("b", askAt(PORT))).stdout).toBe("refused\n");
    expect((await run(null, askAt(PORT))).stdout).toBe("refused\n");
    expect((await run(null, askAt(PORT), "danger-full-access")).stdout).toBe("refused\n");
  });

  it("keeps the servers of the host from its commands, and has a loopback only", async () => {
    const listener = net.createServer((socket) => socket.end("host\n")).listen(0, "127.0.0.1");
    await once(listener, "listening");
    const address = listener.address();
    const port = typeof address === "object" ? Number(address?.port) : 0;
    const { anchors, run } = await anchorLab(user);
    await anchors.open({ anchorId: "a", ids: {} });
    expect((await run("a", askAt(port))).stdout).toBe("refused\n");
    const devices = await run("a", sh("tail -n +3 /proc/net/dev | cut -d: -f1"));
    expect(devices.stdout.trim()).toBe("lo");
    listener.close();
  });

  it("is one network for all its commands, and not the host's", async () => {
    const { anchors, run } = await anchorLab(user);
    for (const anchorId of ["a", "b"]) await anchors.open({ anchorId, ids: {} });
    const seen = [];
    for (const anchor of ["a", "a", "b", null]) seen.push((await run(anchor, NETWORK)).stdout);
    const [first, again, other, none] = seen;
    const host = (await run(null, NETWORK, "danger-full-access")).stdout;
    expect(first).toBe(again);
    expect(new Set([first, other, none, host]).size).toBe(4);
  });

  it("leaves a command whose policy opens the network in the host's", async () => {
    const { anchors, executor, request, run } = await anchorLab(user);
    await anchors.open({ anchorId: "a", ids: {} });
    const host = (await run(null, NETWORK, "danger-full-access")).stdout;
    const asked = request("a", NETWORK);
    if (asked.sandbox.kind !== "enforce") throw new Error("there is an intent");
    const { context } = asked.sandbox;
    if (context.profile.type !== "managed") throw new Error("writ enforces it");
    const profile = { ...context.profile, network: { kind: "enabled" } as const };
    const open = { kind: "enforce", context: { ...context, profile } } as const;
    const running = await executor.start({ ...asked, sandbox: open });
    expect(await firstOutput(running)).toBe(host);
  });

  it("gives its commands no capability, and none of its namespaces to enter", async () => {
    const { anchors, run } = await anchorLab(user);
    await anchors.open({ anchorId: "a", ids: {} });
    const script =
      "grep ^Cap /proc/self/status | cut -f2 | sort -u; ls -l /proc/self/fd | grep -cE '(net|user):'";
    expect((await run("a", sh(script))).stdout).toBe("0000000000000000\n0\n");
  });
});

/** How an attempt to connect from the host ends. */
async function reaches(port: number): Promise<string> {
  const socket = net.connect(port, "127.0.0.1");
  return new Promise((resolve) => {
    socket.once("connect", () => resolve("connected"));
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(String(error.code)));
  }).finally(() => socket.destroy()) as Promise<string>;
}
