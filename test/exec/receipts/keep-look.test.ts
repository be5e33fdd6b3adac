/** What is on record of a look at a file, here and to whoever asks over a wire. */
import fs, { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createLocalFiles } from "../../../src/exec/files/create-local-files.ts";
import { openReceiptStore, type SandboxIntent } from "../../../src/exec/index.ts";
import { bindIntent } from "../../../src/exec/intent/bind-intent.ts";
import type { ReceiptKeeper } from "../../../src/exec/receipts/run-receipt.ts";
import {
  boundDigest,
  parseAbsolutePath,
  parsePathUri,
  policyForMode,
  profileDigest,
  profileOfPolicy,
  uriOfNative,
} from "../../../src/policy/index.ts";
import { hostFor } from "../files/support/file-client.ts";

function lab(keeper?: ReceiptKeeper) {
  const base = mkdtempSync("/var/tmp/writ-look-");
  const [workspace, secret, home] = ["ws", "secret", "home"].map((name) => path.join(base, name));
  for (const folder of [workspace, secret, home]) mkdirSync(String(folder));
  writeFileSync(path.join(base, "ws/notes"), "words");
  writeFileSync(path.join(base, "secret/key"), "k");
  const store = openReceiptStore(parseAbsolutePath(String(home)));
  onTestFinished(() => {
    store.close();
    rmSync(base, { recursive: true });
  });
  const files = createLocalFiles(hostFor(), { receipts: keeper ?? store });
  const told: string[] = [];
  const record = { ids: { thread: "t", call: "c" }, kept: (id: string) => told.push(id) };
  const at = (name: string, sandbox = denying(base)) => ({
    path: uriOfNative(path.join(base, name)),
    links: "follow" as const,
    sandbox,
    anchor: null,
  });
  const receipt = () => store.get(told.at(-1) ?? "");
  return { base, files, record, at, told, store, receipt };
}

/** Read-only, but for one folder that is denied. */
function denying(base: string): SandboxIntent {
  const cwd = uriOfNative(path.join(base, "ws"));
  const profile = profileOfPolicy(policyForMode("read-only"));
  if (profile.type !== "managed" || profile.fileSystem.type !== "restricted") throw new Error("no");
  const target = { type: "path", path: uriOfNative(path.join(base, "secret")) } as const;
  const entries = [...profile.fileSystem.entries, { target, access: "deny" as const }];
  const files = { ...profile, fileSystem: { ...profile.fileSystem, entries } };
  return {
    kind: "enforce",
    context: {
      ...{ profile: files, cwd, workspaceRoots: [cwd] },
      settings: { windowsSandboxLevel: "disabled" },
    },
  };
}

const WAIVED: SandboxIntent = { kind: "waived", by: "test", reason: "a reason" };

describe("a look on record", () => {
  it("has the policy that a command would have, and no process", async () => {
    const { files, at, record, receipt, base } = lab();
    await files.readFile(at("ws/notes"), { record });
    const { profile, bound } = bindIntent(denying(base), undefined, hostFor());
    expect(receipt()).toMatchObject({
      command: ["fs/readFile", path.join(base, "ws/notes")],
      cwd: uriOfNative(path.join(base, "ws")),
      ids: { thread: "t", call: "c" },
      profileDigest: profileDigest(profile),
      boundDigest: boundDigest(bound),
      enforced: { tier: "judged", backend: "writ", network: "none", unixSockets: "none" },
      waived: null,
      outcome: { kind: "exited", code: 0 },
    });
    expect(receipt()?.intent).toMatchObject({ cwd: uriOfNative(path.join(base, "ws")) });
  });

  it("that the policy denies is a refusal which names the rule", async () => {
    const { files, at, record, receipt, base } = lab();
    const looking = files.readFile(at("secret/key"), { record });
    await expect(looking).rejects.toMatchObject({ code: "denied", byPolicy: true });
    expect(receipt()).toMatchObject({
      enforced: null,
      outcome: { kind: "refused", code: "denied" },
    });
    const { outcome } = receipt() ?? {};
    const message = outcome?.kind === "refused" ? outcome.message : "";
    expect(message).toContain(`Cannot look at "${path.join(base, "secret/key")}"`);
    expect(message).toContain(`"${path.join(base, "secret")}" = "deny"`);
    expect(receipt()?.profileDigest).toMatch(/^[0-9a-f]{64}$/);
  });

  it("that leads through a link to what is denied names no rule for the link", async () => {
    const { files, at, record, receipt, base } = lab();
    symlinkSync(path.join(base, "secret"), path.join(base, "ws/link"));
    await expect(files.readDirectory(at("ws/link"), { record })).rejects.toThrow();
    const { outcome } = receipt() ?? {};
    expect(outcome).toMatchObject({ kind: "refused", code: "denied" });
    expect(outcome?.kind === "refused" ? outcome.message : "").not.toContain("denied by");
  });

  it("at a path that nobody can spell is refused as it is without a record", async () => {
    const { files, at, record, receipt } = lab();
    const long = { ...at("ws"), path: parsePathUri(`file:///${"%20".repeat(4110)}`) };
    const message = expect.stringMatching(/^Cannot use path .* has 4111 characters/);
    const refusal = { name: "ExecError", code: "invalidRequest", message };
    await expect(files.readFile(long)).rejects.toMatchObject(refusal);
    await expect(files.readFile(long, { record })).rejects.toMatchObject(refusal);
    expect(receipt()?.outcome).toEqual({ kind: "refused", code: "invalidRequest", message });
  });

  it("that finds nothing failed, and says what it was told", async () => {
    const { files, at, record, receipt } = lab();
    await expect(files.readFile(at("ws/missing"), { record })).rejects.toThrow();
    expect(receipt()).toMatchObject({
      outcome: { kind: "exited", code: 1 },
      notes: ["No such file or directory (os error 2)"],
    });
  });

  it("without a sandbox says who waived it", async () => {
    const { files, at, record, receipt } = lab();
    await files.readFile(at("secret/key", WAIVED), { record });
    expect(receipt()).toMatchObject({
      enforced: { tier: "none", backend: "nothing of writ's", network: "host" },
      waived: { by: "test", reason: "a reason" },
    });
  });

  it("in an anchor that nobody knows is refused, and on record", async () => {
    const { files, at, record, receipt } = lab();
    const looking = files.readFile({ ...at("ws/notes"), anchor: "gone" }, { record });
    await expect(looking).rejects.toMatchObject({ code: "unknownAnchor" });
    expect(receipt()).toMatchObject({ outcome: { kind: "refused", code: "unknownAnchor" } });
  });

  it("is not shown where its receipt cannot be kept", async () => {
    const full = () => {
      throw new Error("the disk is full");
    };
    const { files, at, record, told } = lab({ started: full, ended: full });
    await expect(files.readFile(at("ws/notes"), { record })).rejects.toThrow("the disk is full");
    const looking = files.readFile(at("secret/key"), { record });
    await expect(looking).rejects.toThrow("the disk is full");
    expect(told).toEqual([]);
  });

  it("closes a file that it opened and could not put on record", async () => {
    const opened = () => fs.readdirSync("/proc/self/fd").length;
    const full = () => {
      throw new Error("the disk is full");
    };
    const { files, at, record } = lab({ started: full, ended: full });
    await files.getMetadata(at("ws/notes"));
    const before = opened();
    for (let tries = 0; tries < 20; tries += 1) {
      await expect(files.open(at("ws/notes"), "read", { record })).rejects.toThrow("full");
    }
    expect(opened()).toBeLessThan(before + 20);
  });

  it("is refused where no receipts are kept at all", async () => {
    const { at, record } = lab();
    const files = createLocalFiles(hostFor());
    await expect(files.readFile(at("ws/notes"), { record })).rejects.toMatchObject({
      code: "unenforceable",
    });
  });

  it("that nobody asks to be on record leaves nothing", async () => {
    const { files, at, store } = lab();
    await files.readFile(at("ws/notes"));
    await files.readDirectory(at("ws"));
    expect(store.list({ thread: undefined, limit: 10 })).toEqual([]);
  });
});
