import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { executorAt, executorOver } from "../../../src/exec/remote/executor-at.ts";
import { createMemoryPair, listenWebSocket } from "../../../src/rpc/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const { signal } = new AbortController();

describe("the address of an executor", () => {
  it.each(["", "ws://", "http://127.0.0.1:1", "unix://", "unix://relative", "/path", "stdio"])(
    "is not %j",
    (address) => {
      expect(() => executorAt(address)).toThrow(
        expect.objectContaining({ name: "ExecError", code: "invalidRequest" }),
      );
    },
  );

  it.each(["url", "path"])("can be a %s, with a token for its door", async (form) => {
    const seen: (string | undefined)[] = [];
    const file = path.join(temporaryFolder(), "socket");
    const listener = await listenWebSocket({
      address:
        form === "url" ? { kind: "tcp", host: "127.0.0.1", port: 0 } : { kind: "unix", path: file },
      accept: (_, { headers }) => seen.push(headers.authorization),
    });
    onTestFinished(() => listener.close());
    const address = form === "url" ? listener.address : `unix://${file}`;
    for (const options of [{ bearerToken: "secret" }, {}]) {
      const transport = await executorAt(address, options)(signal);
      transport.close();
    }
    expect(seen).toEqual(["Bearer secret", undefined]);
  });
});

describe("a token", () => {
  it.each(["ws://192.0.2.1:4500", "ws://127.0.0.1.example:4500", "ws://[2001:db8::1]:4500"])(
    "is not sent to %s: whoever is on the way could read it",
    (address) => {
      const sentence = `Cannot send a token to "${address}": others could read it, expected wss:// or this machine`;
      expect(() => executorAt(address, { bearerToken: "secret" })).toThrow(
        expect.objectContaining({ name: "ExecError", code: "invalidRequest", message: sentence }),
      );
      expect(() => executorAt(address)).not.toThrow();
    },
  );

  it.each([
    ...["ws://127.0.0.1:4500", "ws://[::1]:4500", "ws://localhost:4500"],
    ...["wss://192.0.2.1", "unix:///run/writ.sock"],
  ])("may be sent to %s", (address) => {
    expect(() => executorAt(address, { bearerToken: "secret" })).not.toThrow();
  });
});

describe("the only connection there is", () => {
  it("is used once", async () => {
    const [client] = createMemoryPair();
    const connect = executorOver(client);
    expect(await connect(signal)).toBe(client);
    await expect(connect(signal)).rejects.toMatchObject({ code: "disconnected" });
  });
});
