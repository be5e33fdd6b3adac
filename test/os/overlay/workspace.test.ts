/** What is written to an overlaid workspace stays in its anchor, and is all there for whoever works in it. */
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { collected } from "../../exec/contract/support/collected.ts";
import {
  type AnchorLab,
  anchorLab,
  anchorsAt,
  namesIn,
  sh,
  uri,
} from "../anchor/support/anchor-lab.ts";
import { until } from "../launch/live-run.ts";
import { USERS } from "../support/sandbox-user.ts";
import { numbered } from "../support/users.ts";

async function overlaid(user: Parameters<typeof anchorLab>[0]): Promise<AnchorLab> {
  const lab = await anchorLab(user);
  const { workspace, give } = lab.place;
  mkdirSync(path.join(workspace, "src/deep"), { recursive: true });
  writeFileSync(path.join(workspace, "file"), "host\n");
  writeFileSync(path.join(workspace, "src/deep/code"), "host code\n");
  mkdirSync(path.join(workspace, ".git"));
  writeFileSync(path.join(workspace, ".git/config"), "host config\n");
  give();
  await lab.anchors.open({ anchorId: "a", ids: {}, overlays: [uri(workspace)] });
  return lab;
}

const CHANGES = [
  "echo changed >file",
  "echo new >new",
  "mkdir made && echo in >made/in",
  "rm src/deep/code && rmdir src/deep",
  "mv src moved",
];

describe.each(numbered(USERS))("as %s, an overlaid workspace", (user) => {
  it("shows what was written to the next command and to file operations, and the host stays as it was", async () => {
    const lab = await overlaid(user);
    const { workspace } = lab.place;
    const before = [workspace, path.join(workspace, "src")].map(namesIn);
    const mtime = statSync(path.join(workspace, "file")).mtimeMs;
    expect((await lab.run("a", sh(CHANGES.join("; ")))).stderr).toBe("");
    const { stdout } = await lab.run(
      "a",
      sh("cat file new made/in; ls -d * | grep -v writ.toml; ls moved"),
    );
    expect(stdout).toBe("changed\nnew\nin\nfile\nmade\nmoved\nnew\n");
    const { sandbox } = lab.request("a", []);
    const at = (name: string) => ({
      ...{ sandbox, anchor: "a", links: "follow" as const },
      path: uri(path.join(workspace, name)),
    });
    const { files } = lab.executor;
    expect(Buffer.from(await files.readFile(at("file"))).toString()).toBe("changed\n");
    await expect(files.readFile(at("src/deep/code"))).rejects.toMatchObject({ code: "notFound" });
    await files.writeFile(at("told"), Buffer.from("by a tool\n"));
    await files.remove(at("new"), { recursive: false, force: false });
    expect((await lab.run("a", sh("cat told; ls new"))).stdout).toBe("by a tool\n");
    expect([workspace, path.join(workspace, "src")].map(namesIn)).toEqual(before);
    expect(readFileSync(path.join(workspace, "file"), "utf8")).toBe("host\n");
    expect(statSync(path.join(workspace, "file")).mtimeMs).toBe(mtime);
    expect(existsSync(path.join(workspace, "src/deep/code"))).toBe(true);
  });

  it("is as the host has it for every other anchor and for none, which write through as ever", async () => {
    const lab = await overlaid(user);
    const { workspace } = lab.place;
    await lab.anchors.open({ anchorId: "b", ids: {} });
    await lab.anchors.open({ anchorId: "c", ids: {}, overlays: [uri(workspace)] });
    await lab.run("a", sh("echo a >file; echo a >mine"));
    for (const other of ["b", "c", null]) {
      expect((await lab.run(other, sh("cat file; ls mine"))).stdout).toBe("host\n");
    }
    await lab.run("c", sh("echo c >file"));
    await lab.run("b", sh("echo b >file"));
    expect(readFileSync(path.join(workspace, "file"), "utf8")).toBe("b\n");
    expect((await lab.run("a", sh("cat file"))).stdout).toBe("a\n");
    expect((await lab.run("c", sh("cat file"))).stdout).toBe("c\n");
  });

  it("keeps protected names, also of folders that were made in it, and what a policy denies", async () => {
    const lab = await overlaid(user);
    const tries = [
      "echo x >.git/config",
      "rm -rf .git",
      "mv .git other",
      "mkdir .codex/hooks",
      "mv ../ws ../ws2",
      "echo x >../out",
    ];
    for (const script of tries) {
      expect((await lab.run("a", sh(script))).exit.exitCode, script).not.toBe(0);
    }
    expect((await lab.run("a", sh("cat .git/config"))).stdout).toBe("host config\n");
    const read = await lab.run("a", sh("echo x >file || echo kept"), "read-only");
    expect(read.stdout).toBe("kept\n");
  });

  it("denies by pattern what a command made in it, to the next one and to file operations", async () => {
    const lab = await overlaid(user);
    await lab.run("a", sh("mkdir made; echo secret >made/.env; echo open >made/open"));
    const { sandbox: asked, ...request } = lab.request("a", sh("cat made/open made/.env"));
    if (asked.kind !== "enforce" || asked.context.profile.type !== "managed") throw new Error();
    const { fileSystem } = asked.context.profile;
    if (fileSystem.type !== "restricted") throw new Error("there are rules");
    const target = { type: "glob", base: "workspaceRoots", pattern: "**/.env" } as const;
    const entries = [...fileSystem.entries, { target, access: "deny" } as const];
    const profile = { ...asked.context.profile, fileSystem: { ...fileSystem, entries } };
    const sandbox = { ...asked, context: { ...asked.context, profile } };
    const { stdout } = await collected(await lab.executor.start({ ...request, sandbox }));
    expect(stdout).toBe("open\n");
    const at = { sandbox, anchor: "a", links: "follow" as const };
    const reading = lab.executor.files.readFile({
      ...at,
      path: uri(path.join(lab.place.workspace, "made/.env")),
    });
    await expect(reading).rejects.toMatchObject({ code: "denied" });
  });

  it("has a receipt that says so, of its session", async () => {
    const lab = await overlaid(user);
    const running = await lab.executor.start(lab.request("a", sh("true")));
    for await (const _ of running.events);
    const receipt = await running.receipt;
    expect(JSON.stringify(receipt)).toContain(`stays in its session`);
  });

  it("runs nothing without a sandbox, which would see where writes are kept", async () => {
    const lab = await overlaid(user);
    const start = lab.executor.start(lab.request("a", sh("true"), "danger-full-access"));
    await expect(start).rejects.toMatchObject({ code: "notAllowed" });
  });

  it("hides where writes are kept, from its own commands and from those of others", async () => {
    const lab = await overlaid(user);
    await lab.run("a", sh("echo mine >mine"));
    const { stdout } = await lab.run(
      "a",
      sh("sed -n 's/.*upperdir=\\([^,]*\\).*/\\1/p' /proc/self/mountinfo | head -1"),
    );
    const upper = stdout.trim();
    expect(upper).toMatch(/upper$/);
    await lab.anchors.open({ anchorId: "b", ids: {} });
    for (const anchor of ["a", "b", null]) {
      const seen = await lab.run(anchor, sh(`cat ${upper}/mine; ls ${upper}; echo x >${upper}/x`));
      expect(seen.stdout).toBe("");
    }
    // What it is: the host's own look finds it there.
    expect(readFileSync(path.join(upper, "mine"), "utf8")).toBe("mine\n");
  });

  it("follows no link out of it that a command planted, and makes no whiteout by hand", async () => {
    const lab = await overlaid(user);
    const { workspace, outside } = lab.place;
    writeFileSync(path.join(outside, "secret"), "outside\n");
    lab.place.give();
    const planted = `ln -s ${outside} out; ln -s ${outside}/secret file2; rm file; ln -s ../outside/secret file`;
    await lab.run("a", sh(planted));
    for (const place of ["out/new", "file2", "file"]) {
      expect((await lab.run("a", sh(`echo x >${place}`))).exit.exitCode, place).not.toBe(0);
      const { sandbox } = lab.request("a", []);
      const at = { sandbox, anchor: "a", links: "follow" as const };
      const write = lab.executor.files.writeFile(
        { ...at, path: uri(path.join(workspace, place)) },
        Buffer.from("x"),
      );
      await expect(write, place).rejects.toThrow();
    }
    expect((await lab.run("a", sh("mknod white c 0 0; ls white"))).exit.exitCode).not.toBe(0);
    const xattr = 'import os; os.setxattr("src", "user.overlay.redirect", b"/etc")';
    await lab.run("a", ["/usr/bin/python3", "-c", xattr]);
    expect((await lab.run("a", sh("ls src"))).stdout).toBe("deep\n");
    expect(namesIn(outside)).toEqual(["secret"]);
    expect(readFileSync(path.join(outside, "secret"), "utf8")).toBe("outside\n");
  });

  it("ends no command with another of the same anchor: both see one folder", async () => {
    const lab = await overlaid(user);
    const both = ["x", "y"].map((name) =>
      lab.run("a", sh(`for i in $(seq 50); do echo ${name} >>${name}-$i; done; ls | wc -l`)),
    );
    await Promise.all(both);
    expect((await lab.run("a", sh("ls x-* y-* | wc -l"))).stdout.trim()).toBe("100");
    expect(namesIn(lab.place.workspace)).not.toContain("x-1");
  });

  it("disturbs nobody who covers the same names in a folder of all: /tmp is on one record", async () => {
    const lab = await overlaid(user);
    const long = lab.executor.start(lab.request("a", sh("echo on; sleep 3; echo end")));
    const other = lab.executor.start(lab.request(null, sh("echo on; sleep 2; echo end")));
    const [one, two] = (await Promise.all([long, other])).map((running) => collected(running));
    for (let count = 0; count < 4; count += 1) {
      await lab.run(null, sh("true"));
      await lab.run("a", sh("true"));
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect((await two)?.stdout).toBe("on\nend\n");
    expect((await one)?.stdout).toBe("on\nend\n");
  });

  it("refuses to start and to read where the folder was moved on the host and another took its name", async () => {
    const lab = await overlaid(user);
    const { workspace } = lab.place;
    await lab.run("a", sh("echo mine >mine"));
    const { renameSync } = await import("node:fs");
    renameSync(workspace, `${workspace}-moved`);
    mkdirSync(workspace);
    writeFileSync(path.join(workspace, "file"), "another\n");
    lab.place.give();
    const start = lab.run("a", sh("echo x >file; echo x >landed"));
    await expect(start).rejects.toMatchObject({ code: "unenforceable" });
    const { sandbox } = lab.request("a", []);
    const at = { sandbox, anchor: "a", links: "follow" as const };
    const write = lab.executor.files.writeFile(
      { ...at, path: uri(path.join(workspace, "landed")) },
      Buffer.from("x"),
    );
    await expect(write).rejects.toThrow(/moved on the host/);
    expect(namesIn(workspace)).not.toContain("landed");
    // A sandbox that was being built ahead may have covered names there, and takes that back.
    await until(() => namesIn(workspace).length === 1);
    expect(readFileSync(path.join(workspace, "file"), "utf8")).toBe("another\n");
  });

  it("is refused for what it could not show, and nothing is left of it", async () => {
    const lab = await anchorLab(user);
    const { workspace } = lab.place;
    const base = path.dirname(workspace);
    const link = path.join(workspace, "link");
    symlinkSync("/etc", link);
    for (const place of [
      "/",
      "/proc",
      base,
      path.join(base, "own"),
      anchorsAt(lab.place),
      `${workspace}/none`,
      `${workspace}/link/passwd`,
    ]) {
      const opening = lab.anchors.open({ anchorId: "a", ids: {}, overlays: [uri(place)] });
      await expect(opening, place).rejects.toMatchObject({ code: "unenforceable" });
    }
    expect(await lab.anchors.list()).toEqual([]);
  });
});
