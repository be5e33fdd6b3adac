/** What the SDK would do by itself, and what of it a host must not let happen. */
import { describe, expect, it } from "vitest";
import { ASKING, DONE, fail, RawHost, reply, type Script, TOOLS } from "./support/raw-server.ts";
import { sandboxIn } from "./support/sandboxes.ts";

const call = { name: "look" };

/** A server of 2026-07-28. */
const MODERN: Script = {
  tools: { ...TOOLS, resultType: "complete", ttlMs: 0, cacheScope: "private" },
  discover: (process, message) =>
    reply(process, message, {
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: ASKING,
      ttlMs: 0,
      cacheScope: "private",
    }),
};

describe("a call that the SDK would send twice", () => {
  it("is sent once where the server wants other headers", async () => {
    const mismatch = -32020;
    const host = new RawHost([
      { ...MODERN, call: (process, message) => fail(process, message, mismatch) },
    ]);
    for (const list of [false, true]) {
      if (list) await host.connection.listTools();
      await expect(
        host.connection.callForModel(call, () => sandboxIn("read-only")),
      ).rejects.toMatchObject({ code: "refused" });
    }
    expect(host.calls).toHaveLength(2);
    await host.connection.close();
  });

  it("is sent once where the server wants to be answered first", async () => {
    const host = new RawHost([
      {
        ...MODERN,
        call: (process, message) =>
          reply(process, message, { resultType: "input_required", requestState: "more" }),
      },
    ]);
    await expect(
      host.connection.callForModel(call, () => sandboxIn("read-only")),
    ).rejects.toMatchObject({ code: "badAnswer" });
    expect(host.calls).toHaveLength(1);
    await host.connection.close();
  });
});

describe("a schema that a server gives for its answers", () => {
  it("is not run here, whatever it is", async () => {
    const outputSchema = { type: "object", properties: { a: { pattern: "(" } }, required: ["a"] };
    const host = new RawHost([
      { tools: { tools: [{ name: "look", inputSchema: { type: "object" }, outputSchema }] } },
    ]);
    expect(await host.connection.listTools()).toMatchObject([{ name: "look", outputSchema }]);
    const result = host.connection.callForModel(call, () => sandboxIn("read-only"));
    await expect(result).resolves.toMatchObject(DONE);
    await host.connection.close();
  });
});
