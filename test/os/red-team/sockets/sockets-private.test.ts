/**
 * F1, F8: what `private` sockets see of the host when the host moves its own, and what they cannot know.
 *
 * `private` covers every socket that the kernel names when the command starts.
 * The tests named "resid" show what is then still reached: SECURITY.md says so.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { pairsIn } from "../../support/kernel-attempts.ts";
import { placeApart } from "../../support/place-apart.ts";
import { profileFlags } from "../../support/sandbox-modes.ts";
import { type Place, type SandboxUser, USERS } from "../../support/sandbox-user.ts";
import { CHANGE_DESCRIPTOR, GIVE_DESCRIPTOR } from "../../support/socket-descriptor.ts";
import { ALL_WAYS, SENDER, type SocketNames, wordsOf } from "../../support/socket-listener.ts";
import { ORDINARY } from "../../support/users.ts";

/** Makes a folder with a socket in it again and again; each is there for a moment. */
const CHURN = `
  use Socket; use Time::HiRes "sleep";
  my $over = 0; $SIG{TERM} = sub { $over = 1 };
  for (my $i = 0; !$over && $i < 1000; $i++) {
    my $folder = "$ARGV[0]/$i"; mkdir $folder, 0755;
    socket(my $socket, AF_UNIX, SOCK_STREAM, 0); bind($socket, pack_sockaddr_un("$folder/s"));
    sleep $ARGV[1]; unlink "$folder/s";
    # What a sandbox that is just being built puts there has to go first.
    for (1..200) { last if rmdir $folder; sleep 0.01 }
  }
`;

const flagsFor = (place: Place, setting: "none" | "private" | "host") =>
  profileFlags(
    place.outside,
    setting,
    `extends = ":workspace"\n[network]\nunix_socket_access = "${setting}"\n`,
  );

function send(place: Place, names: SocketNames): Record<string, string> {
  const sender = ["/usr/bin/perl", "-e", SENDER, "inside", ...wordsOf(names)];
  const { stdout, stderr } = place.run(["run", ...flagsFor(place, "private"), "--", ...sender]);
  expect(stdout, stderr).not.toBe("");
  return pairsIn(stdout, String);
}

const reached = (...labels: string[]) =>
  labels.flatMap((label) => ALL_WAYS.map((way) => `${label} inside ${way}`)).sort();

/** Both kinds of socket of one name. */
function move(from: string, to: string, how: (from: string, to: string) => void): void {
  for (const kind of ["", ".d"]) how(`${from}${kind}`, `${to}${kind}`);
}

describe.each(USERS)("private sockets, for %s", (user) => {
  it("F1 reach none that was renamed or linked beside its old name, as ssh does", async () => {
    const place = await placeApart(user);
    const at = (name: string) => path.join(place.outside, name);
    const listener = await place.listen({ renamed: at("renamed.tmp"), linked: at("linked.tmp") });
    move(at("renamed.tmp"), at("renamed"), renameSync);
    move(at("linked.tmp"), at("linked"), linkSync);
    const answers = send(place, { renamed: at("renamed"), linked: at("linked") });
    const refused = "Connection refused";
    expect(answers).toEqual({ renamed: refused, linked: refused, sent: "" });
    move(at("renamed"), at("renamed.tmp"), renameSync);
    expect(await listener.heard()).toEqual([]);
  });

  it("F1 find no folder of the host's sockets open because a rule closes something in it", async () => {
    const place = await placeApart(user);
    const runtime = "/tmp/.font-unix";
    // It stays, as X leaves it: its removal would end the sandboxes of other tests that cover it.
    if (mkdirSync(runtime, { recursive: true }) !== undefined) chmodSync(runtime, 0o1777);
    const folder = mkdtempSync(path.join(runtime, "writ-test-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    chmodSync(folder, 0o755);
    mkdirSync(path.join(folder, "in/closed"), { recursive: true });
    writeFileSync(path.join(folder, "in/f"), "of the host\n");
    const script = `cat ${folder}/in/f; echo control`;
    const [, file = ""] = flagsFor(place, "private");
    expect(place.sh(script, ["--profile", file]).stdout).toBe("control\n");
    const rule = `[filesystem]\n"${folder}/in/closed" = "deny"\n`;
    appendFileSync(file, rule);
    expect(place.sh(script, ["--profile", file]).stdout).toBe("control\n");
  });

  it("F1 reach none that was bound to a relative name by a process of the same user", async () => {
    const place = await placeApart(user);
    const inside = asUser(user, ["env", "-C", place.workspace]);
    const listener = await place.listen({ relative: "relative" }, inside);
    const answers = send(place, { relative: "relative" });
    expect(answers).toEqual({ relative: "Connection refused", sent: "" });
    expect(await listener.heard()).toEqual([]);
  });

  it("F1 reach none that was bound through a descriptor of its folder, as long names are", async () => {
    const place = await placeApart(user);
    const opened = ["/bin/sh", "-c", `exec 9<${place.workspace}; exec "$@"`, "sh"];
    const names = { self: "/proc/self/fd/9/self", device: "/dev/fd/9/device" };
    const listener = await place.listen(names, asUser(user, opened));
    const answers = send(place, { self: "self", device: "device" });
    const refused = "Connection refused";
    expect(answers).toEqual({ self: refused, device: refused, sent: "" });
    expect(await listener.heard()).toEqual([]);
  });

  it("F1 reach none that was bound by a name that leads back from a link", async () => {
    const place = await placeApart(user);
    const { workspace, outside } = place;
    mkdirSync(path.join(outside, "real/deep"), { recursive: true });
    symlinkSync(path.join(outside, "real/deep"), path.join(outside, "link"));
    place.give();
    const inside = asUser(user, ["env", "-C", workspace]);
    const named = await place.listen({ named: `${outside}/link/../named` });
    const relative = await place.listen({ relative: "../outside/link/../relative" }, inside);
    const at = (name: string) => path.join(outside, "real", name);
    const answers = send(place, { named: at("named"), relative: at("relative") });
    const refused = "Connection refused";
    expect(answers).toEqual({ named: refused, relative: refused, sent: "" });
    expect([await named.heard(), await relative.heard()]).toEqual([[], []]);
  });

  it("F1 end with the command when the host replaces one that is covered", async () => {
    const place = await placeApart(user);
    const covered = path.join(place.workspace, "covered");
    await place.listen({ covered });
    place.give();
    const command = "echo started; sleep 20; echo survived";
    const child = start(place, flagsFor(place, "private"), ["/bin/sh", "-c", command]);
    const printed = textOf(child);
    await once(child.stdout ?? child, "data");
    rmSync(covered);
    await once(child, "close");
    expect(printed()).toMatch(/^started\n/);
    expect(printed()).toContain("was replaced on the host");
    expect(printed()).not.toContain("survived");
  });

  it("F1 start beside one in a folder of somebody else that is closed to them", async () => {
    const place = await placeApart(user);
    const closed = mkdtempSync("/var/tmp/writ-closed-");
    onTestFinished(() => rmSync(closed, { recursive: true, force: true }));
    await place.listen({ other: path.join(closed, "other") });
    if (process.getuid?.() === 0) chownSync(closed, user === "root" ? ORDINARY : 0, 0);
    const { stdout, stderr } = place.sh(`ls ${closed}; echo control`, flagsFor(place, "private"));
    expect(stdout, stderr).toBe("control\n");
  });

  it("F1 start while others come and go, and leave nothing in their place", async () => {
    const place = await placeApart(user);
    const base = path.join(place.workspace, "churn");
    mkdirSync(base);
    place.give();
    const flags = flagsFor(place, "private");
    const [program = "", ...args] = place.argv(["run", ...flags, "--", "echo", "control"]);
    const { workspace: cwd, env } = place;
    const control = () => spawnSync(program, args, { cwd, env });
    // One lives about as long as a start takes, however slow the machine is.
    const began = performance.now();
    control();
    const life = String(Math.max(0.15, (performance.now() - began) / 1000));
    const [perl = "perl", ...words] = [...place.apart, "perl", "-e", CHURN, base, life];
    const churn = spawn(perl, words);
    onTestFinished(() => void churn.kill("SIGKILL"));
    const starts = Array.from({ length: 12 }, control);
    // One that goes while the command runs ends it.
    expect(starts.filter(({ status }) => status !== 0 && status !== 137)).toEqual([]);
    expect(starts.map(({ stdout }) => String(stdout))).toContain("control\n");
    churn.kill("SIGTERM");
    await once(churn, "close");
    expect(readdirSync(base)).toEqual([]);
  });

  it("F1 resid: reach one that the host makes after the start", async () => {
    const place = await placeApart(user);
    const later = path.join(place.workspace, "later");
    place.give();
    const waits = `touch started; while ! [ -e go ]; do sleep 0.02; done; exec perl -e '${SENDER}' inside later=${later}`;
    const child = start(place, flagsFor(place, "private"), [
      "/bin/sh",
      "-c",
      waits.replace(/\n\s*/g, "\n"),
    ]);
    await expect.poll(() => existsSync(path.join(place.workspace, "started"))).toBe(true);
    const listener = await place.listen({ later });
    writeFileSync(path.join(place.workspace, "go"), "");
    await once(child, "close");
    expect(await listener.heard()).toEqual(reached("later"));
  });

  it("F1 resid: reach one by a link that the host made elsewhere", async () => {
    const place = await placeApart(user);
    const bound = path.join(place.outside, "bound");
    const listener = await place.listen({ elsewhere: bound });
    mkdirSync(path.join(place.workspace, "links"));
    move(bound, path.join(place.workspace, "links/elsewhere"), linkSync);
    send(place, { elsewhere: path.join(place.workspace, "links/elsewhere") });
    expect(await listener.heard()).toEqual(reached("elsewhere"));
  });

  it("F1 resid: reach one that was bound in another network namespace", async () => {
    const place = await placeApart(user);
    const name = path.join(place.workspace, "namespace");
    const apart = process.getuid?.() === 0 ? ["unshare", "-n"] : ["unshare", "-rn"];
    const listener = await place.listen({ namespace: name }, apart);
    send(place, { namespace: name });
    expect(await listener.heard()).toEqual(reached("namespace"));
  });
});

/** An ordinary user mounts nothing. */
describe.each(USERS.filter((user) => user === "root"))("private sockets, for %s alone", (user) => {
  it("F1 reach none in a folder that is mounted once more", async () => {
    const place = await placeApart(user);
    const at = (name: string) => path.join(place.outside, name);
    for (const name of ["folder", "again"]) mkdirSync(at(name));
    const listener = await place.listen({ bound: at("folder/bound") });
    const sender = ["/usr/bin/perl", "-e", SENDER, "inside"];
    const names = wordsOf({ bound: at("folder/bound"), again: at("again/bound") });
    const command = ["run", ...flagsFor(place, "private"), "--", ...sender, ...names];
    const script = `mount --bind ${at("folder")} ${at("again")} && exec "$0" "$@"`;
    const words = ["-m", "/bin/sh", "-c", script, ...place.argv(command)];
    const { workspace: cwd, env } = place;
    const { stdout } = spawnSync("/usr/bin/unshare", words, { cwd, env, encoding: "utf8" });
    const refused = "Connection refused";
    expect(pairsIn(stdout, String)).toEqual({ bound: refused, again: refused, sent: "" });
    expect(await listener.heard()).toEqual([]);
  });
});

describe.each(USERS)("descriptors of the host, for %s", (user) => {
  it.each([
    ["none", "of the host"],
    ["private", "of the host"],
    // Whoever may talk to a daemon gets what the daemon gives away.
    ["host", "changed"],
  ] as const)("F8 are had through a socket with %s sockets as stated", async (setting, text) => {
    const place = await placeApart(user);
    const secret = path.join(place.outside, "secret");
    writeFileSync(secret, "of the host");
    const socket = path.join(place.workspace, "giver");
    const [perl = "perl", ...words] = [...place.apart, "perl", "-e", GIVE_DESCRIPTOR];
    const giver = spawn(perl, [...words, socket, secret], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void giver.kill("SIGKILL"));
    await once(giver.stdout, "data");
    const command = ["/usr/bin/perl", "-e", CHANGE_DESCRIPTOR, socket];
    const { stdout } = place.run(["run", ...flagsFor(place, setting), "--", ...command]);
    expect(stdout).toContain("control\n");
    expect(readFileSync(secret, "utf8")).toBe(text);
  });
});

function asUser(user: SandboxUser, command: string[]): string[] {
  if (user === "root" || process.getuid?.() !== 0) return command;
  return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", ...command];
}

function start(place: Place, flags: readonly string[], command: readonly string[]): ChildProcess {
  const [program = "", ...args] = place.argv(["run", ...flags, "--", ...command]);
  return spawn(program, args, { cwd: place.workspace, env: place.env });
}

function textOf({ stdout, stderr }: ChildProcess): () => string {
  let text = "";
  for (const stream of [stdout, stderr]) stream?.on("data", (chunk) => (text += String(chunk)));
  return () => text;
}
