/** Plans that only the kernel can confirm: the network, a terminal, sockets and mounts made later. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { profileFlags } from "./support/sandbox-modes.ts";
import { type Place, placeFor, USERS } from "./support/sandbox-user.ts";

const PRIVATE_SOCKETS = `extends = ":workspace"
[network]
unix_socket_access = "private"
`;

/** Listens with a unix socket of its own and with one that the host has, in that order. */
const SOCKETS = (own: string, host: string) => `perl -e '
  use IO::Socket::UNIX;
  my $own = IO::Socket::UNIX->new(Listen => 1, Local => "${own}");
  print $own ? "own\\n" : "none\\n";
  print IO::Socket::UNIX->new(Peer => "${own}") ? "met\\n" : "alone\\n";
  print IO::Socket::UNIX->new(Peer => "${host}") ? "reached\\n" : "refused\\n";'`;

async function listener(at: string | { port: number; host: string }) {
  const seen = { connections: 0 };
  const server = net.createServer((socket) => {
    seen.connections += 1;
    socket.destroy();
  });
  server.listen(at);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { seen, address: server.address() };
}

/** Connects to a port with nothing but the shell's interpreter for it, and does not wait long. */
const connect = (port: number) =>
  `perl -e 'use IO::Socket::INET; print IO::Socket::INET->new("127.0.0.1:${port}") ? "reached" : "refused"'`;

async function portOf() {
  const { seen, address } = await listener({ port: 0, host: "127.0.0.1" });
  if (typeof address !== "object" || address === null) throw new Error("Cannot listen");
  return { seen, port: address.port };
}

describe.each(USERS)("a plan as %s", (user) => {
  it("with the network on reaches the host, and still no file outside", async () => {
    const { sh, outside } = placeFor(user);
    const { port, seen } = await portOf();
    const script = `${connect(port)}; touch ${outside}/x 2>/dev/null && echo wrote; true`;
    const flags = ["--sandbox", "workspace-write", "--network"];
    expect(sh(script, flags)).toMatchObject({ stdout: "reached", status: 0 });
    expect(sh(script)).toMatchObject({ stdout: "refused", status: 0 });
    await expect.poll(() => seen.connections).toBe(1);
  });

  it("with a terminal gives the command a session of its own on it", () => {
    const place = placeFor(user);
    const script = `test -t 0 && test -t 1 && echo terminal; (exec 3<>/dev/tty) && echo controlling; touch ${place.outside}/x 2>/dev/null && echo wrote; true`;
    const { stdout, status } = place.sh(script, ["--sandbox", "workspace-write", "--tty"]);
    expect(status).toBe(0);
    expect(stdout).toBe("terminal\r\ncontrolling\r\n");
  });

  it("with private sockets has its own, and reaches none of the host's", async () => {
    const place = placeFor(user);
    const [own, host] = [path.join(place.workspace, "own"), path.join(place.workspace, "host")];
    const { seen } = await listener(host);
    spawnSync("chmod", ["777", host]);
    const flags = profileFlags(place.outside, "sockets", PRIVATE_SOCKETS);
    expect(place.sh(SOCKETS(own, host), flags).stdout).toBe("own\nmet\nrefused\n");
    expect(place.sh(SOCKETS(`${own}2`, host)).stdout).toBe("none\nalone\nrefused\n");
    // The listener hears of connections only after the command, which was waited for.
    await sleep(50);
    expect(seen.connections).toBe(0);
  });

  it("where mounts are shared does not see what the host mounts while it runs", () => {
    const place = placeFor(user);
    mkdirSync(path.join(place.workspace, "later"));
    const run = inside(place, ["--sandbox", "workspace-write", "--", "/bin/sh", "-c", INSIDE]);
    const host = `${quoted(run)} > out 2>&1 &
      for i in $(seq 1 2500); do test -e started && break; sleep 0.02; done
      mount -t tmpfs none later && touch later/mark
      test -e later/mark && echo host sees it
      touch go; wait; cat out`;
    expect(onOwnMounts("shared", host, place)).toBe("host sees it\nunseen\n");
  });

  it.each([
    ["a writable workspace", `":root" = "read"\n":workspace_roots" = "write"`],
    ["a writable disk", `":root" = "write"`],
  ])("keeps a rule on a folder that has a file system of its own, in %s", (_, grants) => {
    const place = placeFor(user);
    const [docs, key] = ["a/docs", "a/key"].map((name) => path.join(place.workspace, name));
    for (const folder of [docs, key]) mkdirSync(folder ?? "", { recursive: true });
    const toml = `[filesystem]\n${grants}\n"${docs}" = "read"\n"${key}" = "deny"\n`;
    const flags = profileFlags(place.outside, "mounted", toml);
    const script = "cat a/docs/f; touch a/docs/x; cat a/key/f; touch f && echo control";
    const run = inside(place, [...flags, "--", "/bin/sh", "-c", script]);
    const host = `chmod 777 . a
      for d in docs key; do mount -t tmpfs none a/$d && echo $d > a/$d/f && chmod 777 a/$d; done
      ${quoted(run)} 2>/dev/null; ls a/docs`;
    expect(onOwnMounts("private", host, place)).toBe("docs\ncontrol\nf\n");
  });
});

const INSIDE = `touch started
  for i in $(seq 1 2500); do test -e go && break; sleep 0.02; done
  test -e later/mark && echo seen || echo unseen`;

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(" ");
}

/** `writ run` for such a script. Whoever is root there only to make mounts is themselves again. */
function inside(place: Place, args: readonly string[]): string[] {
  const [user, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  const back = ["unshare", "--user", `--map-user=${user}`, `--map-group=${group}`, "--"];
  return [...(user === 0 ? [] : back), ...place.argv(["run", ...args])];
}

/** A script of the host's, where mounts are made that nobody else sees. */
function onOwnMounts(propagation: "shared" | "private", script: string, place: Place): string {
  const own = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  const { stdout, stderr } = spawnSync(
    "unshare",
    [...own, "--mount", "--propagation", propagation, "--", "/bin/sh", "-c", script],
    { cwd: place.workspace, env: place.env, encoding: "utf8", timeout: 100_000 },
  );
  expect(stderr).toBe("");
  return stdout;
}
