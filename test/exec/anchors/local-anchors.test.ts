/** Anchors over a network that the test plays. */
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { LocalAnchors } from "../../../src/exec/anchors/local-anchors.ts";
import type { ExecHost } from "../../../src/exec/index.ts";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import { type NetworkAnchor, SandboxError } from "../../../src/sandbox/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** A network whose holder dies when the test says so. */
function fakeNetwork() {
  const over = Promise.withResolvers<void>();
  let isHeld = true;
  const die = () => {
    isHeld = false;
    over.resolve();
  };
  const network: NetworkAnchor = {
    network: { nsenter: parseAbsolutePath("/n"), user: "u", network: "n", identity: "1:2" },
    isHeld: () => isHeld,
    over: over.promise,
    close: async () => die(),
  };
  return { network, die };
}

function anchorsWith(hold = async () => fakeNetwork().network) {
  const base = temporaryFolder();
  const records = parseAbsolutePath(path.join(base, "records"));
  mkdirSync(records);
  const host = { records, platform: "linux" } as ExecHost;
  return { anchors: new LocalAnchors(host, hold), folder: `${records}-anchors` };
}

/** A process that ends when it is told to, or when the test ends it. */
function fakeProcess() {
  const over = Promise.withResolvers<void>();
  const reasons: string[] = [];
  const end = (reason: string) => {
    reasons.push(reason);
    over.resolve();
  };
  return { over: over.promise, end, reasons };
}

describe("an anchor", () => {
  it.each(["", "x".repeat(257)])("is refused a name that cannot be kept: %j", async (anchorId) => {
    const { anchors } = anchorsWith();
    const opening = anchors.open({ anchorId, ids: {} });
    await expect(opening).rejects.toMatchObject({ code: "invalidRequest", field: "anchorId" });
  });

  it.each(["../../x", "/etc", "a/b", ".", "a\0b"])(
    "of the name %j stays in its folder",
    async (id) => {
      const { anchors, folder } = anchorsWith();
      const { home } = await anchors.open({ anchorId: id, ids: {} });
      expect(path.relative(folder, fileURLToPath(home))).toMatch(/^[0-9a-f]{8}\/home$/);
    },
  );

  it("is refused while one of its name is alive or being opened", async () => {
    const { anchors } = anchorsWith();
    const both = [1, 2].map(() => anchors.open({ anchorId: "a", ids: {} }));
    const [first, second] = await Promise.allSettled(both);
    expect([first?.status, second?.status]).toEqual(["fulfilled", "rejected"]);
    await anchors.close("a");
    await expect(anchors.open({ anchorId: "a", ids: {} })).resolves.toMatchObject({ ids: {} });
  });

  it("leaves no folder where its network cannot be held", async () => {
    const { anchors, folder } = anchorsWith(async () => {
      throw new SandboxError("unsupportedHost", "Cannot hold a network: there is none");
    });
    const opening = anchors.open({ anchorId: "a", ids: {} });
    await expect(opening).rejects.toMatchObject({ code: "unenforceable" });
    expect(readdirSync(folder)).toEqual([]);
    await expect(anchors.find("a")).rejects.toMatchObject({ code: "unknownAnchor" });
  });

  it("leaves no network where its folders cannot be made", async () => {
    const { network } = fakeNetwork();
    const { anchors, folder } = anchorsWith(async () => network);
    writeFileSync(folder, "");
    const opening = anchors.open({ anchorId: "a", ids: {} });
    await expect(opening).rejects.toMatchObject({ code: "unenforceable" });
    expect(network.isHeld()).toBe(false);
  });

  it("gives no place to a command once its holder is dead, before anybody noticed", async () => {
    const held = fakeNetwork();
    const { anchors } = anchorsWith(async () => ({ ...held.network, isHeld: () => false }));
    await anchors.open({ anchorId: "a", ids: {} });
    const places: unknown[] = [];
    await anchors.start("a", async (place) => {
      places.push(place);
      return fakeProcess();
    });
    expect(places).toEqual([undefined]);
    expect(await anchors.list()).toEqual([]);
  });

  it("ends its processes and is forgotten when its holder dies", async () => {
    const held = fakeNetwork();
    const { anchors } = anchorsWith(async () => held.network);
    const { home } = await anchors.open({ anchorId: "a", ids: {} });
    const process = await anchors.start("a", async () => fakeProcess());
    held.die();
    await process.over;
    await anchors.closeAll();
    expect(process.reasons).toEqual(["its anchor is over"]);
    expect(existsSync(fileURLToPath(home))).toBe(false);
    await expect(anchors.find("a")).rejects.toMatchObject({ code: "unknownAnchor" });
  });

  it("ends a command that was being started when it was closed", async () => {
    const { anchors } = anchorsWith();
    await anchors.open({ anchorId: "a", ids: {} });
    const go = Promise.withResolvers<void>();
    const starting = anchors.start("a", async () => {
      await go.promise;
      return fakeProcess();
    });
    const closing = anchors.close("a");
    go.resolve();
    expect((await starting).reasons).toEqual(["its anchor is over"]);
    expect(await closing).toBe(true);
  });

  it("keeps its folders until the work in it is over, which it tells to stop", async () => {
    const { network } = fakeNetwork();
    const { anchors } = anchorsWith(async () => network);
    const { home } = await anchors.open({ anchorId: "a", ids: {} });
    const working = anchors.use("a", async (place, over) => {
      await once(over, "abort");
      const late = anchors.use("a", async () => "too late");
      await expect(late).rejects.toMatchObject({ code: "unknownAnchor", field: "anchor" });
      for (let turn = 0; turn < 20; turn += 1) await nextTurn();
      return [network.isHeld(), existsSync(place.home), over.reason.code];
    });
    const closing = anchors.close("a");
    expect(await working).toEqual([true, true, "unknownAnchor"]);
    expect(await closing).toBe(true);
    expect(existsSync(fileURLToPath(home))).toBe(false);
  });

  it("lets nobody work in it once its holder is dead, before anybody noticed", async () => {
    const held = fakeNetwork();
    const { anchors } = anchorsWith(async () => ({ ...held.network, isHeld: () => false }));
    await anchors.open({ anchorId: "a", ids: {} });
    const working = anchors.use("a", async () => "worked");
    await expect(working).rejects.toMatchObject({ code: "unknownAnchor" });
  });

  it("that is closed while it is being opened is closed once it is there", async () => {
    const { anchors, folder } = anchorsWith();
    const opening = anchors.open({ anchorId: "a", ids: {} });
    expect(await anchors.close("a")).toBe(true);
    await opening;
    await expect(anchors.find("a")).rejects.toMatchObject({ code: "unknownAnchor" });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("can take the name of one whose holder is dead", async () => {
    const held = fakeNetwork();
    const networks = [{ ...held.network, isHeld: () => false }, fakeNetwork().network];
    const { anchors } = anchorsWith(async () => networks.shift() ?? held.network);
    const [dead, alive] = [
      await anchors.open({ anchorId: "a", ids: {} }),
      await anchors.open({ anchorId: "a", ids: {} }),
    ];
    held.die();
    await expect.poll(() => existsSync(fileURLToPath(dead.home))).toBe(false);
    expect(await anchors.list()).toEqual([alive]);
  });

  it("is not opened by an executor that is closed", async () => {
    const { anchors } = anchorsWith();
    await anchors.closeAll();
    const opening = anchors.open({ anchorId: "a", ids: {} });
    await expect(opening).rejects.toMatchObject({ code: "invalidRequest" });
  });

  it("that is being opened when the executor closes is closed with it", async () => {
    const go = Promise.withResolvers<void>();
    const { anchors, folder } = anchorsWith(async () => {
      await go.promise;
      return fakeNetwork().network;
    });
    const opening = anchors.open({ anchorId: "a", ids: {} });
    const closing = anchors.closeAll();
    go.resolve();
    await expect(opening).rejects.toMatchObject({ code: "invalidRequest" });
    await closing;
    expect(readdirSync(folder)).toEqual([]);
  });
});
