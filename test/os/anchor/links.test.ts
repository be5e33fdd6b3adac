/** A policy that is narrower by its names and opens something else where a name is a link. */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { SandboxIntent } from "../../../src/exec/index.ts";
import { type Access, uriOfNative } from "../../../src/policy/index.ts";
import { createLocalProvider, ThreadSession } from "../../../src/session/index.ts";
import { collected } from "../../exec/contract/support/collected.ts";
import { intentOf, WAIVED } from "../../exec/contract/support/contract-place.ts";
import { NEVER, intentOf as underProfile } from "../../session/provider/support/sandbox-of.ts";
import { USERS } from "../support/sandbox-user.ts";
import { type AnchorLab, anchorLab, sh } from "./support/anchor-lab.ts";

describe.each(USERS)("as %s, a narrower policy that names a link", (user) => {
  it.each([
    ["a link out of what is open", "link"],
    ["a place beneath such a link", "link/below"],
    ["a place beneath it that is missing", "link/missing"],
  ])("is not within the wider one: %s", async (_, name) => {
    const { lab, base } = await laidOut(user);
    expect(await within(lab, opening(lab, name, "write"), base)).toBe(false);
  });

  it("is refused as it is everywhere where the link leads to what both hide", async () => {
    const { lab, base } = await laidOut(user);
    const asked = within(lab, opening(lab, "hidden-link", "read"), base);
    await expect(asked).rejects.toMatchObject({ code: "unenforceable" });
  });

  it("is within it where the link stays in what is open", async () => {
    const { lab, base } = await laidOut(user);
    expect(await within(lab, opening(lab, "inner-link", "write"), base)).toBe(true);
    expect(await within(lab, opening(lab, "link", "read"), base)).toBe(true);
  });

  it("starts nothing where the link was turned after it was compared", async () => {
    const { lab, base } = await laidOut(user);
    const narrow = opening(lab, "inner-link", "write");
    expect(await within(lab, narrow, base)).toBe(true);
    const write = { ...lab.request("a", sh("echo x > inner-link/made")), sandbox: narrow };
    expect((await collected(await lab.executor.start(write))).exit.exitCode).toBe(0);
    turn(lab, "inner-link", lab.place.outside);
    const again = lab.executor.start({ ...write, processId: "again" });
    await expect(again).rejects.toMatchObject({ code: "unenforceable" });
    await expect(again).rejects.toThrow("expected one within the policy of its anchor");
    expect(existsSync(path.join(lab.place.outside, "made"))).toBe(false);
  });

  it("touches no file where the link was turned after it was compared", async () => {
    const { lab } = await laidOut(user);
    const sandbox = opening(lab, "inner-link", "write");
    turn(lab, "inner-link", lab.place.outside);
    const at = uriOfNative(path.join(lab.place.outside, "kept"));
    const under = { path: at, links: "follow", sandbox, anchor: "a" } as const;
    const writing = lab.executor.files.writeFile(under, Buffer.from("changed"));
    await expect(writing).rejects.toMatchObject({ code: "unenforceable" });
    expect(readFileSync(path.join(lab.place.outside, "kept"), "utf8")).toBe("kept");
  });

  it.each([
    ["waived", () => WAIVED],
    ["disabled", ({ place }: AnchorLab) => underProfile({ type: "disabled" }, place.workspace)],
  ])("leaves no way to work without a sandbox: %s", async (name, unconfined) => {
    const { lab } = await laidOut(user);
    const sandbox = unconfined(lab);
    const kept = path.join(lab.place.outside, "kept");
    const start = { ...lab.request("a", sh(`echo changed > ${kept}`)), sandbox, processId: name };
    await expect(lab.executor.start(start)).rejects.toMatchObject({ code: "unenforceable" });
    const under = { path: uriOfNative(kept), links: "follow", sandbox, anchor: "a" } as const;
    const writing = lab.executor.files.writeFile(under, Buffer.from("changed"));
    await expect(writing).rejects.toThrow("expected one within the policy of its anchor");
    expect(readFileSync(kept, "utf8")).toBe("kept");
  });

  it("gets a sandbox of its own in a session, and nothing of the one before", async () => {
    const { lab, base } = await laidOut(user);
    const session = new ThreadSession({
      provider: createLocalProvider({ executor: lab.executor }),
      thread: "thread-1",
      workspace: uriOfNative(lab.place.workspace),
      intent: base,
      remembered: undefined,
      onReference: async () => {},
    });
    const bash = async (command: string) => {
      const { value } = await session.tools.execute({
        tool: "bash",
        input: { command },
        signal: NEVER,
      });
      return { ...value };
    };
    await bash('echo secret > "$HOME/file"');
    session.useIntent(opening(lab, "inner-link", "write"));
    expect(await bash("true")).toMatchObject({ exitCode: 0 });
    expect(session.generation).toBe(1);
    session.useIntent(opening(lab, "link", "write"));
    expect(await bash('ls "$HOME"')).toMatchObject({ exitCode: 0, stdout: "" });
    expect(session.generation).toBe(2);
    await session.dispose();
  });
});

/** An anchor under workspace-write without `hidden`, and links that its commands could have made. */
async function laidOut(user: (typeof USERS)[number]) {
  const lab = await anchorLab(user);
  const { workspace, outside } = lab.place;
  for (const folder of ["inner", "hidden"]) mkdirSync(path.join(workspace, folder));
  mkdirSync(path.join(outside, "below"));
  writeFileSync(path.join(outside, "kept"), "kept");
  symlinkSync(outside, path.join(workspace, "link"));
  symlinkSync("inner", path.join(workspace, "inner-link"));
  symlinkSync("hidden", path.join(workspace, "hidden-link"));
  lab.place.give();
  const base = withEntry(intentOf("workspace-write", lab.place), lab, "hidden", "deny");
  await lab.anchors.open({ anchorId: "a", ids: {}, base });
  return { lab, base };
}

/** Reads everything but `hidden`, and has one place besides. */
function opening(lab: AnchorLab, name: string, access: Access): SandboxIntent {
  const readOnly = withEntry(intentOf("read-only", lab.place), lab, "hidden", "deny");
  return withEntry(readOnly, lab, name, access);
}

function withEntry(intent: SandboxIntent, lab: AnchorLab, name: string, access: Access) {
  const { workspace } = lab.place;
  if (intent.kind === "waived") throw new Error("it has no profile");
  const { profile } = intent.context;
  if (profile.type !== "managed" || profile.fileSystem.type !== "restricted") {
    throw new Error("it has no entries");
  }
  const uri = uriOfNative(path.join(workspace, name));
  const entry = { target: { type: "path", path: uri }, access } as const;
  const fileSystem = { ...profile.fileSystem, entries: [...profile.fileSystem.entries, entry] };
  return underProfile({ ...profile, fileSystem }, workspace);
}

async function within(lab: AnchorLab, intent: SandboxIntent, base: SandboxIntent) {
  const cwd = uriOfNative(lab.place.workspace);
  return (await lab.anchors.compare("a", { intent, base, cwd })).isWithin;
}

function turn({ place }: AnchorLab, name: string, to: string): void {
  symlinkSync(to, path.join(place.workspace, "next"));
  renameSync(path.join(place.workspace, "next"), path.join(place.workspace, name));
}
