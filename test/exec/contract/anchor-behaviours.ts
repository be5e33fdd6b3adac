/** What an anchor is to commands, wherever they run. */
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { AnchorOperations, Executor, StartRequest } from "../../../src/exec/index.ts";
import { uriOfNative } from "../../../src/policy/index.ts";
import type { ContractOptions, MakeExecutor } from "./executor-contract.ts";
import { collected } from "./support/collected.ts";
import {
  type ContractPlace,
  contractPlace,
  intentOf,
  requestOf,
} from "./support/contract-place.ts";
import { askAt, firstOutput, serveOn } from "./support/loopback.ts";

const PORT = 7717;

export function anchorBehaviours(make: MakeExecutor, { anchors }: ContractOptions): void {
  if (anchors) {
    sharedNetwork(make);
    ownFolders(make);
    unknownAnchors(make);
    comparedIntents(make);
    return;
  }
  it("has no anchors, and refuses a start in one before anything runs", async () => {
    const executor = await make();
    const place = contractPlace();
    expect(executor.anchors).toBeUndefined();
    const request = requestOf("touch ran", place, { anchor: "a" });
    await expect(executor.start(request)).rejects.toMatchObject({ code: "unknownAnchor" });
    expect(existsSync(path.join(place.workspace, "ran"))).toBe(false);
  });
}

function sharedNetwork(make: MakeExecutor): void {
  it("lets a server that one command of an anchor started answer the next", async () => {
    const { executor, place } = await anchored(make, "a");
    const serving = await executor.start(inAnchor("a", place, { argv: serveOn(PORT) }));
    expect(await firstOutput(serving)).toBe("serving\n");
    const asked = await executor.start(inAnchor("a", place, { argv: askAt(PORT) }));
    expect((await collected(asked)).stdout).toBe("hello\n");
  });

  it("keeps the network of an anchor from other anchors, and from commands without one", async () => {
    const { executor, anchors, place } = await anchored(make, "a");
    await anchors.open({ anchorId: "b", ids: {} });
    const serving = await executor.start(inAnchor("a", place, { argv: serveOn(PORT) }));
    await firstOutput(serving);
    for (const anchor of ["b", null]) {
      const asked = await executor.start(inAnchor(anchor, place, { argv: askAt(PORT) }));
      expect((await collected(asked)).stdout).toBe("refused\n");
    }
  });
}

function ownFolders(make: MakeExecutor): void {
  it("gives commands of an anchor its home and tmp, whatever the request says", async () => {
    const { executor, anchors, place } = await anchored(make, "a");
    const { home, tmp } = await anchors.find("a");
    const env = { PATH: "/usr/bin:/bin", HOME: "/elsewhere", TMPDIR: "/elsewhere" };
    const script = 'echo "$HOME $TMPDIR"; echo kept > "$HOME/file"; echo kept > "$TMPDIR/file"';
    const first = await executor.start(inAnchor("a", place, { env, ...sh(script) }));
    expect((await collected(first)).stdout).toBe(`${fileURLToPath(home)} ${fileURLToPath(tmp)}\n`);
    const next = await executor.start(inAnchor("a", place, sh('cat "$HOME/file" "$TMPDIR/file"')));
    expect((await collected(next)).stdout).toBe("kept\nkept\n");
  });

  it("hides the folders of an anchor from other anchors, and from commands without one", async () => {
    const { executor, anchors, place } = await anchored(make, "a");
    await anchors.open({ anchorId: "b", ids: {} });
    const home = fileURLToPath((await anchors.find("a")).home);
    await collected(await executor.start(inAnchor("a", place, sh('echo mine > "$HOME/file"'))));
    for (const anchor of ["b", null]) {
      const script = `cat ${home}/file; ls ${home}; ls ${home}/../..`;
      const looked = await executor.start(inAnchor(anchor, place, sh(script)));
      expect((await collected(looked)).stdout).toBe("");
    }
  });

  it("removes the folders of an anchor with all that is in them when it is closed", async () => {
    const { executor, anchors, place } = await anchored(make, "a");
    const { home } = await anchors.find("a");
    const script = 'mkdir -p "$HOME/x/y"; ln -s / "$HOME/x/root"; chmod 0 "$HOME/x"';
    await collected(await executor.start(inAnchor("a", place, sh(script))));
    expect(await anchors.close("a")).toBe(true);
    expect(existsSync(path.dirname(fileURLToPath(home)))).toBe(false);
    expect(await anchors.close("a")).toBe(false);
    expect(await anchors.list()).toEqual([]);
  });
}

function unknownAnchors(make: MakeExecutor): void {
  it("refuses a start in an anchor that is not open before anything runs", async () => {
    const { executor, anchors, place } = await anchored(make, "a");
    await anchors.close("a");
    for (const anchor of ["a", "never"]) {
      const start = executor.start(inAnchor(anchor, place, sh("touch ran")));
      await expect(start).rejects.toMatchObject({ code: "unknownAnchor" });
      await expect(anchors.find(anchor)).rejects.toMatchObject({ code: "unknownAnchor" });
    }
    expect(existsSync(path.join(place.workspace, "ran"))).toBe(false);
  });

  it("refuses a second anchor of one name", async () => {
    const { anchors } = await anchored(make, "a");
    const again = anchors.open({ anchorId: "a", ids: {} });
    await expect(again).rejects.toMatchObject({ code: "invalidRequest" });
    expect(await anchors.list()).toMatchObject([{ anchorId: "a", ids: { thread: "t" } }]);
  });

  it("ends what runs in an anchor when it is closed", async () => {
    const { executor, anchors, place } = await anchored(make, "a");
    const running = await executor.start(inAnchor("a", place, sh("sleep 600")));
    const told = collected(running);
    await anchors.close("a");
    expect((await told).exit.exitCode).toBe(137);
  });
}

function comparedIntents(make: MakeExecutor): void {
  it("says what an intent comes to in an anchor, and whether it stays within another", async () => {
    const { anchors, place } = await anchored(make, "a");
    const [narrow, wide] = [intentOf("read-only", place), intentOf("workspace-write", place)];
    const cwd = uriOfNative(place.workspace);
    const within = await anchors.compare("a", { intent: narrow, base: wide, cwd });
    const beyond = await anchors.compare("a", { intent: wide, base: narrow, cwd });
    const same = await anchors.compare("a", { intent: wide, base: wide, cwd });
    expect([within, beyond, same].map(({ isWithin }) => isWithin)).toEqual([true, false, true]);
    expect(same.boundDigest).toBe(beyond.boundDigest);
    expect(same.boundDigest).not.toBe(within.boundDigest);
  });
}

interface Anchored {
  readonly executor: Executor;
  readonly anchors: AnchorOperations;
  readonly place: ContractPlace;
}

async function anchored(make: MakeExecutor, anchorId: string): Promise<Anchored> {
  const executor = await make();
  const { anchors } = executor;
  if (anchors === undefined) throw new Error("the executor has no anchors");
  await anchors.open({ anchorId, ids: { thread: "t" } });
  return { executor, anchors, place: contractPlace() };
}

function inAnchor(
  anchor: string | null,
  place: ContractPlace,
  more: Partial<StartRequest>,
): StartRequest {
  return requestOf("", place, { sandbox: intentOf("workspace-write", place), anchor, ...more });
}

function sh(script: string): Pick<StartRequest, "argv"> {
  return { argv: ["/bin/sh", "-c", script] };
}
