/** Sessions whose workspace is kept apart: by the library, and by the provider. */
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Executor } from "../../../src/exec/index.ts";
import { openSandbox } from "../../../src/front/index.ts";
import { type AbsolutePath, parseAbsolutePath, uriOfNative } from "../../../src/policy/index.ts";
import { createLocalProvider } from "../../../src/session/index.ts";
import { contractPlace } from "../../exec/contract/support/contract-place.ts";
import { localExecutor } from "../../exec/contract/support/our-executors.ts";
import { ON_EXECUTOR, providerContract } from "../../session/provider/provider-contract.ts";

/** Something is overlaid and nothing of it is written: all the rest is as in any other sandbox. */
function besideOverlay(executor: Executor, side: string): Executor {
  const { anchors } = executor;
  if (anchors === undefined) throw new Error("the executor has no anchors");
  return {
    ...executor,
    anchors: {
      hasOverlays: true,
      open: (request) => anchors.open({ ...request, overlays: [uriOfNative(side)] }),
      find: (anchorId) => anchors.find(anchorId),
      list: () => anchors.list(),
      compare: (anchorId, question) => anchors.compare(anchorId, question),
      stock: (anchorId, change) => anchors.stock(anchorId, change),
      close: (anchorId) => anchors.close(anchorId),
    },
  };
}

providerContract(
  "among overlays",
  async () => {
    const place = contractPlace();
    const side = path.join(path.dirname(place.workspace), "side");
    mkdirSync(side);
    const executor = besideOverlay(localExecutor().executor, side);
    const provider = createLocalProvider({ executor });
    return { ...place, provider, strike: async (id) => executor.anchors?.close(id) };
  },
  { ...ON_EXECUTOR, hasPlaces: true, hasEnd: true },
);

describe("a sandbox that keeps its writes apart", () => {
  it("shows its tools what its commands wrote, and leaves the folder as it was", async () => {
    const { workspace, outside } = contractPlace();
    writeFileSync(path.join(workspace, "file"), "one\n");
    const home = path.join(outside, "home");
    mkdirSync(home);
    const sandbox = await openSandbox({
      ...{ policy: "workspace-write", workspace, home, writes: "apart" },
    });
    onTestFinished(() => sandbox.close());
    await sandbox.run(["/bin/sh", "-c", "echo two >>file"]);
    const signal = new AbortController().signal;
    const read = await sandbox.tools.execute({
      ...{ tool: "readFile", input: { path: "file" }, signal },
    });
    expect(JSON.stringify(read)).toContain("two");
    const edits = [{ oldText: "one", newText: "edited" }];
    await sandbox.tools.execute({ tool: "editFile", input: { path: "file", edits }, signal });
    const { stdout } = await sandbox.run(["/bin/cat", "file"]);
    expect(stdout).toBe("edited\ntwo\n");
    expect(readFileSync(path.join(workspace, "file"), "utf8")).toBe("one\n");
    expect(readdirSync(workspace)).toEqual(["file"]);
  });

  it("is held by its own name, whatever a link that led to it leads to later", async () => {
    const { workspace, outside } = contractPlace();
    const [home, other, link] = ["home", "other", "link"].map((name) => path.join(outside, name));
    if (!home || !other || !link) throw new Error("there are no places");
    for (const folder of [home, other]) mkdirSync(folder);
    symlinkSync(workspace, link);
    const sandbox = await openSandbox({
      ...{ policy: "workspace-write", workspace: link, home, writes: "apart" },
    });
    onTestFinished(() => sandbox.close());
    expect((await sandbox.run(["/usr/bin/touch", "one"])).exitCode).toBe(0);
    rmSync(link);
    symlinkSync(other, link);
    const { stdout } = await sandbox.run(["/bin/sh", "-c", "touch two; ls one two"]);
    expect(stdout).toBe("one\ntwo\n");
    expect([workspace, other].map((one) => readdirSync(one))).toEqual([[], []]);
  });

  it("is refused with a sentence where there is no such folder", async () => {
    const { workspace, outside: home } = contractPlace();
    const missing = path.join(workspace, "none");
    const asked = { policy: "workspace-write", workspace: missing, home, writes: "apart" } as const;
    await expect(openSandbox(asked)).rejects.toThrow(`apart from "${missing}": it is no folder`);
  });

  it.each(["Apart", "seperate", true, null])(
    "is refused where its writes are %j",
    async (writes) => {
      const { workspace, outside: home } = contractPlace();
      const asked = { policy: "workspace-write", workspace, home, writes } as never;
      await expect(openSandbox(asked)).rejects.toThrow(`expected "through" or "apart"`);
    },
  );

  it.each([true, "workspace", { workspace: "yes" }, { layer: 1 }])(
    "is refused where a provider is to keep apart %j",
    (apart) => {
      const { executor } = localExecutor();
      const make = () => createLocalProvider({ executor, apart: apart as never });
      expect(make).toThrow(expect.objectContaining({ code: "invalidInput" }));
    },
  );

  it("is refused once its machine allows something else than when it was opened", async () => {
    const { executor, host } = localExecutor();
    const { workspace, outside } = contractPlace();
    const overlays = [uriOfNative(workspace)];
    await executor.anchors?.open({ anchorId: "a", ids: {}, overlays });
    expect(await executor.anchors?.find("a")).toMatchObject({ anchorId: "a" });
    const readOnly = host.own.readOnly as AbsolutePath[];
    readOnly.push(parseAbsolutePath(outside));
    await expect(executor.anchors?.find("a")).rejects.toMatchObject({ code: "notAllowed" });
    readOnly.pop();
    expect(await executor.anchors?.find("a")).toMatchObject({ anchorId: "a" });
  });

  it("is refused by an executor that has no overlays, and never written through", () => {
    const { executor } = localExecutor();
    const without = { ...executor, anchors: undefined };
    const make = () => createLocalProvider({ executor: without, apart: { workspace: true } });
    expect(make).toThrow(expect.objectContaining({ code: "unsupported" }));
  });

  it("says that its workspace does not outlive it", () => {
    const { executor } = localExecutor();
    expect(createLocalProvider({ executor, apart: { workspace: true } }).keepsWorkspace).toBe(
      false,
    );
    expect(createLocalProvider({ executor }).keepsWorkspace).toBe(true);
  });
});
