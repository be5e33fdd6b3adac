/** A layer that may be written: what is written beside it stays in its session, and the layer is as it was built. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ExecError } from "../../../src/exec/index.ts";
import { uriOfNative } from "../../../src/policy/index.ts";
import {
  createLocalProvider,
  createSnapshotSource,
  LocalSnapshots,
  parseDependencies,
  ThreadSession,
} from "../../../src/session/index.ts";
import { intentIn } from "../../session/provider/support/sandbox-of.ts";
import { type SnapshotLab, sh, snapshotLab } from "../snapshots/support/snapshot-lab.ts";

/** A session of a provider that keeps writes to layers apart. */
function writing(lab: SnapshotLab, thread: string): ThreadSession {
  const { executor, store, home, registry, workspace } = lab;
  const snapshots = new LocalSnapshots({ executor, store, home, env: process.env });
  const provider = createLocalProvider({ executor, snapshots, apart: { layer: true } });
  const asked = { npm: { hello: "1.0.0" }, network: true, registry: registry.url };
  const profile = parseDependencies(asked, "dependencies");
  if (profile === null) throw new Error("the profile of the test asks for nothing");
  const session = new ThreadSession({
    ...{ provider, thread, intent: intentIn(workspace), remembered: undefined },
    workspace: uriOfNative(workspace),
    snapshots: createSnapshotSource({ profile, provider, store }),
    onReference: async () => {},
  });
  onTestFinished(() => session.dispose());
  return session;
}

describe("a layer that is kept apart", () => {
  it("is written by commands of one session, and by nobody else's, and stays as it was built", async () => {
    const lab = await snapshotLab();
    const session = writing(lab, "thread-1");
    const write =
      'cd "$WRIT_SNAPSHOT/lib/node_modules" && mkdir extra && echo 1 >extra/f && rm -r hello';
    expect(await sh(session, write)).toMatchObject({ exitCode: 0 });
    const look = 'cd "$WRIT_SNAPSHOT/lib/node_modules" && ls';
    expect((await sh(session, look)).stdout).toBe("extra\n");
    expect((await sh(writing(lab, "thread-2"), look)).stdout).toBe("hello\n");
    const [layer = ""] = lab.layers();
    const modules = path.join(lab.home, "snapshots", layer, "lib/node_modules");
    expect(existsSync(path.join(modules, "extra"))).toBe(false);
    expect(readFileSync(path.join(modules, "hello/package.json"), "utf8")).toContain("hello");
  });

  it("leaves the workspace the host's own, to which it writes through", async () => {
    const lab = await snapshotLab();
    const session = writing(lab, "thread-1");
    expect((await sh(session, "echo through >through && hello")).stdout).toContain("hello from");
    expect(readFileSync(path.join(lab.workspace, "through"), "utf8")).toBe("through\n");
  });

  it("is only read where nobody asked for more", async () => {
    const lab = await snapshotLab();
    const session = lab.session(lab.source());
    const { stderr } = await sh(session, 'touch "$WRIT_SNAPSHOT/x"');
    expect(stderr).toContain("Read-only file system");
  });

  it("is only read where no overlay can be had, and the session works", async () => {
    const lab = await snapshotLab();
    const { anchors } = lab.executor;
    if (anchors === undefined) throw new Error("there are no anchors");
    const without = { ...lab, executor: { ...lab.executor, anchors: plainOnly(anchors) } };
    const session = writing(without, "thread-1");
    expect((await sh(session, "hello")).stdout).toContain("hello from");
    expect((await sh(session, 'touch "$WRIT_SNAPSHOT/x"')).stderr).toContain("Read-only");
  });

  it("is only read where an overlay was promised and cannot be mounted, and the session works", async () => {
    const lab = await snapshotLab();
    const { anchors } = lab.executor;
    if (anchors === undefined) throw new Error("there are no anchors");
    const asked: number[] = [];
    const open: Anchors["open"] = async (request) => {
      asked.push(request.overlays?.length ?? 0);
      if (request.overlays?.length) throw new ExecError("unenforceable", "no overlay today");
      return anchors.open(request);
    };
    const failing = { ...plainOnly(anchors), hasOverlays: true, open };
    const session = writing(
      { ...lab, executor: { ...lab.executor, anchors: failing } },
      "thread-1",
    );
    expect((await sh(session, "hello")).stdout).toContain("hello from");
    expect((await sh(session, 'touch "$WRIT_SNAPSHOT/x"')).stderr).toContain("Read-only");
    expect(asked.slice(-2)).toEqual([1, 0]);
  });
});

type Anchors = NonNullable<SnapshotLab["executor"]["anchors"]>;

/** As of a host that cannot mount any. */
function plainOnly(anchors: Anchors): Anchors {
  return {
    hasOverlays: false,
    open: (request) => anchors.open(request),
    find: (anchorId) => anchors.find(anchorId),
    list: () => anchors.list(),
    compare: (anchorId, question) => anchors.compare(anchorId, question),
    stock: (anchorId, change) => anchors.stock(anchorId, change),
    close: (anchorId) => anchors.close(anchorId),
  };
}
