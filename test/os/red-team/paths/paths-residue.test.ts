/** What mounts cannot stop: each is shown as it is, and stands in SECURITY.md. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { profileFlags } from "../../support/sandbox-modes.ts";
import { type Place, placeFor, USERS } from "../../support/sandbox-user.ts";
import { asUser } from "../../support/users.ts";
import { perl, whatWorks } from "./support/path-attempts.ts";
import { CALL } from "./support/path-calls.ts";

const READ_ONLY = ["--sandbox", "read-only"];
const WRITABLE = ["--sandbox", "workspace-write"];

const textOf = (folder: string, name: string) => fs.readFileSync(path.join(folder, name), "utf8");

/** A file beside the workspace that has a second name inside it. */
function twoNames(place: Place): void {
  fs.writeFileSync(path.join(place.outside, "canary"), "as it was");
  fs.linkSync(path.join(place.outside, "canary"), path.join(place.workspace, "second"));
}

describe.each(USERS)("what is left, as %s", (user) => {
  it("A8 resid: writes through a hard link that was there before, unless all is read-only", () => {
    const place = placeFor(user);
    twoNames(place);
    place.give();
    const tries = { write: "echo changed > second", control: "cat second" };
    expect(whatWorks(place, tries, READ_ONLY)).toEqual(["control"]);
    expect(textOf(place.outside, "canary")).toBe("as it was");
    expect(whatWorks(place, tries, WRITABLE)).toEqual(["write", "control"]);
    expect(textOf(place.outside, "canary")).toBe("changed\n");
  });

  it("A19 resid: hides what is there at the start; what is made later is seen, and can be made", async () => {
    const place = placeFor(user);
    fs.writeFileSync(path.join(place.workspace, "old.env"), "secret");
    const deny = `[filesystem.":workspace_roots"]\n"**/*.env" = "deny"\n`;
    const writable = profileFlags(place.outside, "writable", `extends = ":workspace"\n${deny}`);
    const readOnly = profileFlags(place.outside, "read-only", `extends = ":read-only"\n${deny}`);
    place.give();
    const made = { old: "cat old.env", later: "echo x > new.env && cat new.env" };
    expect(whatWorks(place, made, readOnly)).toEqual([]);
    expect(whatWorks(place, made, writable)).toEqual(["later"]);
    const waits = "touch ready; while [ ! -e go ]; do sleep 0.02; done; cat host.env old.env";
    const [program = "", ...args] = place.argv(["run", ...writable, "--", "/bin/sh", "-c", waits]);
    const child = spawn(program, args, { cwd: place.workspace, env: place.env });
    const printed: Buffer[] = [];
    child.stdout.on("data", (chunk) => printed.push(chunk));
    await expect.poll(() => fs.existsSync(path.join(place.workspace, "ready"))).toBe(true);
    fs.writeFileSync(path.join(place.workspace, "host.env"), "of the host");
    fs.writeFileSync(path.join(place.workspace, "go"), "");
    await once(child, "close");
    expect(Buffer.concat(printed).toString()).toBe("of the host");
  });

  it("A1 resid: reaches a reader of the host through its pipe: being read-only does not close one", async () => {
    const place = placeFor(user);
    const pipe = path.join(place.outside, "pipe");
    spawnSync("mkfifo", [pipe]);
    place.give();
    const reader = spawn("cat", [pipe]);
    onTestFinished(() => void reader.kill());
    const heard: Buffer[] = [];
    reader.stdout.on("data", (chunk) => heard.push(chunk));
    const over = once(reader, "close");
    expect(whatWorks(place, { pipe: `echo heard > ${pipe}` }, READ_ONLY)).toEqual(["pipe"]);
    await over;
    expect(Buffer.concat(heard).toString()).toBe("heard\n");
  });

  it("resid: reaches whoever reads the same input next: of a pipe both sides can be opened", () => {
    const place = placeFor(user);
    place.give();
    fs.writeFileSync(path.join(place.outside, "answer"), "echo of the command > /proc/self/fd/0");
    const run = ["run", ...READ_ONLY, "--", "/bin/sh", path.join(place.outside, "answer")];
    const command = place.argv(run).slice(asUser(user).length).join(" ");
    const script = `printf 'one\\ntwo\\n' | { read one; ${command}; cat; }`;
    const [program = "", ...args] = [...asUser(user), "/bin/sh", "-c", script];
    const { stdout } = spawnSync(program, args, {
      cwd: place.workspace,
      env: place.env,
      encoding: "utf8",
    });
    expect(stdout).toBe("two\nof the command\n");
  });

  it("A21 leaves no file in the workspace that would run as its owner on the host", () => {
    const place = placeFor(user);
    const tries = {
      set: "cp /bin/true s && chmod 4755 s",
      install: "install -m 4755 /bin/true i",
      make: `perl -e 'use Fcntl; sysopen(F, "m", O_CREAT|O_WRONLY, 04755) or exit 1'`,
      node: perl(`exit(syscall(${CALL.mknodat}, -100, my $p = "n", 0104755, 0) ? 1 : 0)`),
      "control plain": "cp /bin/true p && chmod 755 p && ./p",
      "control group": "mkdir -p d && chmod 2775 d",
    };
    expect(whatWorks(place, tries, WRITABLE)).toEqual(["control plain", "control group"]);
    const modes = fs.readdirSync(place.workspace).map((name) => {
      return fs.statSync(path.join(place.workspace, name)).mode & 0o4000;
    });
    expect(modes.filter(Boolean)).toEqual([]);
  });

  it("A21 resid: leaves a program that runs with the group of its user, as folders are shared by it", () => {
    const place = placeFor(user);
    place.sh("cp /bin/true s && chmod 2755 s");
    const { mode, gid } = fs.statSync(path.join(place.workspace, "s"));
    const own = fs.statSync(place.workspace).gid;
    expect({ isGroups: (mode & 0o2000) !== 0, gid }).toEqual({ isGroups: true, gid: own });
  });

  it("A22 resid: a program that runs as its owner keeps that when it is written through a mapping, and only then", () => {
    const place = placeFor(user);
    const at = (name: string) => path.join(place.workspace, name);
    for (const name of ["mapped", "plain"]) fs.copyFileSync("/bin/true", at(name));
    place.give();
    for (const name of ["mapped", "plain"]) fs.chmodSync(at(name), 0o4755);
    const map = `my $at = syscall(${CALL.mmap}, 0, 4096, 3, 1, fileno(F), 0)`;
    const fill = `open(E, "<", "evil"); exit(syscall(${CALL.read}, fileno(E), $at, 4) == 4 ? 0 : 1)`;
    const tries = {
      text: "printf EVIL > evil",
      mapped: perl(`sysopen(F, "mapped", O_RDWR) or exit 1; ${map}; ${fill}`),
      plain: "printf EVIL | dd of=plain conv=notrunc",
    };
    const [program = "", ...args] = place.argv(["run", ...WRITABLE, "--", "/bin/sh", "-c"]);
    const script = Object.values(tries).join(" && ");
    const ran = spawnSync(program, [...args, script], { cwd: place.workspace, env: place.env });
    expect(ran.status).toBe(0);
    const left = ["mapped", "plain"].map((name) => {
      const text = fs.readFileSync(at(name), "latin1").slice(0, 4);
      return [name, text, (fs.statSync(at(name)).mode & 0o7777).toString(8)];
    });
    expect(left).toEqual([
      ["mapped", "EVIL", "4755"],
      ["plain", "EVIL", "755"],
    ]);
  });

  it("A17 makes no device, and opens none but the harmless ones", () => {
    const place = placeFor(user);
    if (process.getuid?.() === 0) {
      spawnSync("mknod", ["-m", "666", path.join(place.workspace, "found"), "c", "1", "8"]);
    }
    const tries = {
      found: "head -c 1 found",
      character: "mknod c c 1 8",
      block: "mknod b b 8 0",
      raw: perl(`exit(syscall(${CALL.mknodat}, -100, my $p = "raw", 0020666, 0x108) ? 1 : 0)`),
      mem: "head -c 1 /dev/mem",
      kmsg: "dd if=/dev/kmsg bs=1 count=1 iflag=nonblock",
      port: "test -e /dev/port",
      disk: "ls /dev/sd? /dev/vd? /dev/nvme? /dev/loop? /dev/dm-? /dev/mapper | grep .",
      fuse: "test -e /dev/fuse",
      kvm: "test -e /dev/kvm",
      "control pipe": "mkfifo p && test -p p",
      "control null": "echo x > /dev/null && head -c 1 /dev/zero",
    };
    expect(whatWorks(place, tries, WRITABLE)).toEqual(["control pipe", "control null"]);
    const names = place.sh("ls /dev").stdout.trim().split("\n");
    expect(names).toEqual([
      "core",
      "fd",
      "full",
      "null",
      "ptmx",
      "pts",
      "random",
      "shm",
      "stderr",
      "stdin",
      "stdout",
      "tty",
      "urandom",
      "zero",
    ]);
    expect(fs.existsSync(path.join(place.workspace, "c"))).toBe(false);
  });
});
