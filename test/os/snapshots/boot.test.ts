/** Sandboxes that start from what was built once, with a real npm and real mounts. */
import { describe, expect, it } from "vitest";
import type { SandboxIntent } from "../../../src/exec/index.ts";
import { type Entry, parseAbsolutePath, uriOfNative } from "../../../src/policy/index.ts";
import { createLocalProvider } from "../../../src/session/index.ts";
import { execServer, pipesTo, remoteExecutor } from "../../exec/contract/support/our-executors.ts";
import { intentIn, NEVER } from "../../session/provider/support/sandbox-of.ts";
import { sh, snapshotLab } from "./support/snapshot-lab.ts";

describe("a sandbox that starts from a snapshot", () => {
  it("case 88: has the programs of its packages, and plain ones have not", async () => {
    const lab = await snapshotLab();
    const session = lab.session(lab.source());
    expect(lab.registry.asked).toEqual([]);
    expect(await sh(session, "hello")).toMatchObject({ stdout: "hello from a package\n" });
    expect(lab.events).toContainEqual(expect.objectContaining({ origin: "snapshot" }));
    const plain = lab.session(undefined, "thread-2");
    expect((await sh(plain, "hello")).exitCode).toBe(127);
  });
});

describe("a layer that cannot be had", () => {
  it("is `snapshotMissing` where there is none of that name, and holds nothing", async () => {
    const lab = await snapshotLab();
    const { provider, workspace } = lab;
    const request = { thread: "t", intent: intentIn(workspace), workspace: uriOfNative(workspace) };
    for (const snapshot of ["0123456789abcdef", "../..", ""]) {
      const creating = provider.create({ ...request, snapshot, signal: NEVER });
      await expect(creating).rejects.toMatchObject({ code: "snapshotMissing" });
    }
    expect(await lab.executor.anchors?.list()).toEqual([]);
  });

  it("is `unsupported` by a provider that has none, which does not go without", async () => {
    const { executor, workspace } = await snapshotLab();
    const request = { thread: "t", intent: intentIn(workspace), workspace: uriOfNative(workspace) };
    const plain = createLocalProvider({ executor });
    const creating = plain.create({ ...request, snapshot: "0123456789abcdef", signal: NEVER });
    await expect(creating).rejects.toMatchObject({ code: "unsupported" });
  });

  it("refuses commands of a policy that hides it by name, and opens nothing behind its back", async () => {
    const lab = await snapshotLab();
    const deny = { target: { type: "path", path: uriOfNative(lab.home) }, access: "deny" } as const;
    const session = lab.session(lab.source());
    await sh(session, "true");
    session.useIntent(withEntry(intentIn(lab.workspace), deny));
    await expect(sh(session, "hello")).rejects.toMatchObject({ code: "forbidden" });
  });

  it("refuses commands of a policy that lets them write into it", async () => {
    const lab = await snapshotLab();
    const session = lab.session(lab.source());
    await sh(session, "true");
    const [{ id } = { id: "" }] = lab.store.list();
    const lib = uriOfNative(`${lab.home}/snapshots/${id}/lib`);
    const target = { type: "path", path: lib } as const;
    session.useIntent(withEntry(intentIn(lab.workspace), { target, access: "write" }));
    await expect(sh(session, 'touch "$WRIT_SNAPSHOT/lib/x"')).rejects.toMatchObject({
      code: "forbidden",
    });
  });

  it("is refused to an anchor on another machine, which would have another folder there", async () => {
    const lab = await snapshotLab();
    const remote = await remoteExecutor(async () => pipesTo(execServer()));
    const id = await lab.source().resolve({ signal: NEVER });
    const layer = {
      path: parseAbsolutePath(`${lab.home}/snapshots/${id}`),
      access: "read",
    } as const;
    const opening = remote.anchors?.open({ anchorId: "a", ids: {}, layer });
    await expect(opening).rejects.toMatchObject({ code: "unenforceable" });
    expect(await remote.anchors?.list()).toEqual([]);
  });
});

function withEntry(intent: SandboxIntent, entry: Entry): SandboxIntent {
  if (intent.kind === "waived" || intent.context.profile.type !== "managed")
    throw new Error("none");
  const { profile } = intent.context;
  if (profile.fileSystem.type !== "restricted") throw new Error("none");
  const entries = [...profile.fileSystem.entries, entry];
  const changed = { ...profile, fileSystem: { ...profile.fileSystem, entries } };
  return { ...intent, context: { ...intent.context, profile: changed } };
}
