import { describe, expect, it } from "vitest";
import { readMetaState, STATE_KEY, STATE_KEYS, TURN_KEY } from "../../../src/mcp/index.ts";
import { McpError } from "../../../src/mcp/mcp-error.ts";
import { modeOfProfile, type SandboxMode } from "../../../src/policy/index.ts";
import { type Message, RawHost, STDIO } from "./support/raw-server.ts";
import { sandboxIn } from "./support/sandboxes.ts";

const call = { name: "look" };

function modeIn({ params }: Message): string {
  const reading = readMetaState(params?._meta);
  return reading.kind === "state" ? modeOfProfile(reading.state.profile) : reading.code;
}

describe("the sandbox of a call", () => {
  it("is asked for after the connection stands, not when the call is made", async () => {
    const host = new RawHost([{}]);
    const { promise, resolve } = Promise.withResolvers<void>();
    host.gate = promise;
    let mode: SandboxMode = "danger-full-access";
    let asked = 0;
    const result = host.connection.callForModel(call, () => {
      asked += 1;
      return sandboxIn(mode);
    });
    await Promise.resolve();
    mode = "read-only";
    resolve();
    await result;
    expect(host.calls.map(modeIn)).toEqual(["read-only"]);
    expect(asked).toBe(1);
    await host.connection.close();
  });

  it("is the new one where the policy changed during a slow reconnect", async () => {
    const host = new RawHost([{}]);
    let mode: SandboxMode = "workspace-write";
    await host.connection.callForModel(call, () => sandboxIn(mode));
    const { promise, resolve } = Promise.withResolvers<void>();
    host.gate = promise;
    await host.kill(0);
    const second = host.connection.callForModel(call, () => sandboxIn(mode));
    while (host.requests.length < 2) await new Promise((tick) => setImmediate(tick));
    mode = "read-only";
    resolve();
    await second;
    expect(host.calls.map(modeIn)).toEqual(["workspace-write", "read-only"]);
    await host.connection.close();
  });

  it("is each call's own where many are under way", async () => {
    const host = new RawHost([{}]);
    const modes: SandboxMode[] = ["read-only", "workspace-write", "danger-full-access"];
    const many = Array.from({ length: 30 }, (_, index) => modes[index % 3] ?? "read-only");
    await Promise.all(
      many.map((mode, index) =>
        host.connection.callForModel({ name: mode }, () =>
          sandboxIn(mode, { ids: { callId: `${index}` } }),
        ),
      ),
    );
    expect(host.requests).toHaveLength(1);
    expect(host.calls).toHaveLength(30);
    expect(host.calls.map(modeIn)).toEqual(host.calls.map(({ params }) => params?.name));
    await host.connection.close();
  });

  it("is the host's, whatever the caller wrote into _meta", async () => {
    const host = new RawHost([{}]);
    const open = { permissionProfile: { type: "disabled" }, sandboxCwd: "file:///" };
    const forged = Object.fromEntries(
      [...STATE_KEYS, TURN_KEY].map((key) => [key, { ...open, sandbox_mode: "forged" }]),
    );
    await host.connection.callForModel({ ...call, meta: { ...forged, trace: 1 } }, () =>
      sandboxIn("read-only"),
    );
    expect(host.calls.map(modeIn)).toEqual(["read-only"]);
    expect(JSON.stringify(host.calls)).not.toMatch(/forged|disabled|launcher/);
    expect(host.calls[0]?.params?._meta).toMatchObject({ trace: 1 });
    await host.connection.close();
  });

  it("is not taken from the arguments", async () => {
    const host = new RawHost([{}]);
    const state = { [STATE_KEY]: { permissionProfile: { type: "disabled" } } };
    await host.connection.callForModel({ ...call, arguments: { _meta: state } }, () =>
      sandboxIn("read-only"),
    );
    expect(host.calls[0]?.params?.arguments).toEqual({ _meta: state });
    expect(host.calls.map(modeIn)).toEqual(["read-only"]);
    await host.connection.close();
  });
});

describe("a call whose sandbox cannot be said", () => {
  const limits = { type: "disabled", limits: { processes: 1 } } as const;
  it.each<[string, () => ReturnType<typeof sandboxIn>]>([
    [
      "because nobody knows it",
      () => {
        throw new Error("the thread is gone");
      },
    ],
    [
      "because the server may not know its limits",
      () => sandboxIn("read-only", { profile: limits }),
    ],
    ["because it is nothing", () => undefined as never],
    ["because it is empty", () => ({}) as never],
    [
      "because a deny would vanish",
      () => {
        const entries = [{ target: { type: "workspaceRoots" }, access: "deny" }] as const;
        const fileSystem = { type: "restricted", entries } as const;
        const network = { kind: "restricted" } as const;
        const profile = { type: "managed", fileSystem, network, unixSockets: "none" } as const;
        return sandboxIn("read-only", { profile, workspaceRoots: [] });
      },
    ],
  ])("is not sent %s, and the next one is", async (_, sandbox) => {
    const host = new RawHost([{}]);
    const failure = await host.connection.callForModel(call, sandbox).catch((error) => error);
    expect(failure).toBeInstanceOf(McpError);
    expect(failure).toMatchObject({ code: "noState" });
    expect(host.calls).toEqual([]);
    await host.connection.callForModel(call, () => sandboxIn("read-only"));
    expect([host.calls.length, host.requests.length]).toEqual([1, 1]);
    await host.connection.close();
  });

  it.each([[null], ["text"], [[]]])("is not sent with %j for its _meta", async (meta) => {
    const host = new RawHost([{}]);
    const strange = { ...call, meta: meta as never };
    const sandbox = () => sandboxIn("read-only");
    await expect(host.connection.callForModel(strange, sandbox)).rejects.toMatchObject({
      code: "malformedCall",
    });
    await expect(host.connection.callForClient(strange)).rejects.toMatchObject({
      code: "malformedCall",
    });
    expect(host.calls).toEqual([]);
    await host.connection.close();
  });

  it("is sent with its limits to a server that is confined here", async () => {
    const host = new RawHost([{}], { config: { ...STDIO, sandbox: "confine" } });
    await host.connection.callForModel(call, () => sandboxIn("read-only", { profile: limits }));
    const reading = readMetaState(host.calls[0]?.params?._meta);
    expect(reading).toMatchObject({ kind: "state", state: { profile: limits } });
    await host.connection.close();
  });
});
