/** G1, G2, G3, G20: no packet leaves a sandbox whose network is off, and none comes in. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { pairsIn } from "../../support/kernel-attempts.ts";
import { hostAddresses, listenOnHost, REACH } from "../../support/network-listener.ts";
import { onceFor } from "../../support/one-run.ts";
import { flagsOf, MODES, type Mode, profileFlags } from "../../support/sandbox-modes.ts";
import { type Place, placeFor, USERS } from "../../support/sandbox-user.ts";

const RESOLVERS = [53, 443, 853].map((port) => `resolver-${port}`);
/** A loopback of its own, and no way anywhere else. */
const ALONE = { loopback: "own", interfaces: "lo", routes: "0" };
const OFF_MODES = MODES.filter((mode) => mode !== "network-on");

function reach(place: Place, flags: readonly string[], port: number): Record<string, string> {
  const command = ["/usr/bin/perl", "-e", REACH, String(port), ...hostAddresses()];
  const { stdout } = place.run(["run", ...flags, "--", ...command]);
  return pairsIn(stdout, String);
}

const OPEN = `extends = ":workspace"
[network]
enabled = true
`;

/** What a listener is reached by under the same profile with its network on. */
const reachedWith = onceFor(async (place, name: "open") => {
  const { port } = await listenOnHost();
  return reach(place, profileFlags(place.outside, name, OPEN), port);
});

/** Serves one visitor, and says how many came from outside; the first line is its port. */
const SERVE = `
  use Socket;
  $| = 1;
  socket(my $server, AF_INET, SOCK_STREAM, 0) or die "socket: $!";
  bind($server, sockaddr_in(0, INADDR_ANY)) or die "bind: $!";
  listen($server, 5);
  my $port = (sockaddr_in(getsockname $server))[0];
  socket(my $own, AF_INET, SOCK_STREAM, 0) or die "own: $!";
  connect($own, sockaddr_in($port, INADDR_LOOPBACK)) and print "own reached\\n";
  open my $file, ">", "port.new"; print $file $port; close $file;
  rename "port.new", "port";
  my $visits = 0;
  for (1 .. 5000) {
    my $waiting = "";
    vec($waiting, fileno $server, 1) = 1;
    if (select($waiting, undef, undef, 0.02) > 0 && accept(my $peer, $server)) {
      $visits++;
      syswrite $peer, "inside";
    }
    last if -e "stop";
  }
  print "visits ", $visits - 1, "\\n";
`;

describe.each(USERS)("for %s", (user) => {
  it.each(OFF_MODES)("G1 G2 sends nothing by TCP or UDP to any address in %s", async (mode) => {
    const place = placeFor(user);
    const host = await listenOnHost();
    const found = reach(place, flagsOf(mode, place), host.port);
    expect(found).toEqual({ ...nothingReached(), ...ALONE });
    expect(await host.heard()).toEqual([]);
  });

  it("G1 G2 reaches the host where the network is on", async () => {
    const place = placeFor(user);
    const host = await listenOnHost();
    const found = reach(place, flagsOf("network-on", place), host.port);
    expect(found).toMatchObject({ "tcp-127.0.0.1": "connected", loopback: "own" });
    expect(await host.heard()).toEqual(["tcp", "udp"]);
  });

  it.each([
    ["no network table", ""],
    ["an empty table", "[network]\n"],
    ["a list of nothing", "[network]\nenabled = true\n[network.domains]\n"],
    ["only a space", '[network]\nenabled = true\n[network.domains]\n" " = "allow"\n'],
    ["an empty name", '[network]\nenabled = true\n[network.domains]\n"" = "allow"\n'],
    ["only denials", '[network]\nenabled = true\n[network.domains]\n"a.example" = "deny"\n'],
    ["a name, but not on", '[network]\n[network.domains]\n"127.0.0.1" = "allow"\n'],
    ["the mode limited", '[network]\nenabled = true\nmode = "limited"\n'],
    ["no ports", "[network]\nenabled = true\nports = []\n"],
  ])("G3 opens no network for %s", async (_, table) => {
    const place = placeFor(user);
    const host = await listenOnHost();
    const flags = profileFlags(place.outside, "listed", `extends = ":workspace"\n${table}`);
    const found = reach(place, flags, host.port);
    expect(found["tcp-127.0.0.1"]).not.toBe("connected");
    expect(await host.heard()).toEqual([]);
    expect((await reachedWith(user, "open"))["tcp-127.0.0.1"]).toBe("connected");
  });

  it.each(["null", '""', '" "', "[]", "{}", '"true"', "1"])(
    "G3 refuses a policy whose networkAccess is %s",
    async (value) => {
      const place = placeFor(user);
      const policy = `{"type":"workspaceWrite","networkAccess":${value}}`;
      const run = place.sh("echo ran", ["--sandbox-policy", policy]);
      expect(run).toMatchObject({ status: 2, stdout: "" });
    },
  );

  it.each(["workspace-write", "network-on"] as const)(
    "G20 serves the host only with its network: %s",
    async (mode) => {
      const place = placeFor(user);
      const child = start(place, mode);
      const printed = textOf(child);
      const port = await portOf(place);
      const answers = await Promise.all(hostAddresses().map((address) => visit(address, port)));
      writeFileSync(path.join(place.workspace, "stop"), "");
      await once(child, "close");
      const visits = answers.filter((answer) => answer === "inside").length;
      expect(visits).toBe(mode === "network-on" ? answers.length : 0);
      expect(printed()).toBe(`own reached\nvisits ${visits}\n`);
    },
  );
});

/** Whatever was tried failed, with any errno; a datagram to the loopback goes to its own. */
function nothingReached(): Record<string, unknown> {
  const tcp = [...hostAddresses().map((address) => `tcp-${address}`), ...RESOLVERS];
  const udp = hostAddresses().map((address) => `udp-${address}`);
  const failed = expect.stringMatching(/^failed /);
  const names = [...tcp, ...udp.filter((name) => name !== "udp-127.0.0.1")];
  return { ...Object.fromEntries(names.map((name) => [name, failed])), "udp-127.0.0.1": "sent" };
}

function start(place: Place, mode: Mode): ChildProcess {
  const flags = flagsOf(mode, place);
  place.give();
  const command = ["/usr/bin/perl", "-e", SERVE];
  const [program = "", ...args] = place.argv(["run", ...flags, "--", ...command]);
  return spawn(program, args, { cwd: place.workspace, env: place.env });
}

async function portOf({ workspace }: Place): Promise<number> {
  const file = path.join(workspace, "port");
  for (let attempt = 0; !existsSync(file) && attempt < 6000; attempt += 1) await sleep(10);
  return Number(readFileSync(file, "utf8"));
}

/** What a listener there says; nothing where there is none. */
function visit(host: string, port: number): Promise<string> {
  const address = host.includes(":") ? undefined : host;
  if (address === undefined) return Promise.resolve("");
  const socket = net.connect({ host: address, port });
  return new Promise((resolve) => {
    socket.once("data", (text) => {
      resolve(String(text));
      socket.destroy();
    });
    socket.once("error", () => resolve(""));
    socket.once("close", () => resolve(""));
  });
}

function textOf({ stdout }: ChildProcess): () => string {
  let text = "";
  stdout?.on("data", (chunk) => {
    text += String(chunk);
  });
  return () => text;
}
