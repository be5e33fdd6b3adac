/**
 * Places in a network of their own, for tests with unix sockets.
 *
 * A sandbox with private sockets covers those of the host, and ends when one of
 * them goes. The kernel lists sockets by network: in one of its own a test is
 * not ended by what another test removes. Only root can make one and stay root.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { type Place, placeFor, type Ran, type SandboxUser } from "./sandbox-user.ts";
import { type Listener, listenAt, type SocketNames } from "./socket-listener.ts";

export interface PlaceApart extends Place {
  /** A listener beside it, in the same network. */
  listen(names: SocketNames, prefix?: readonly string[]): Promise<Listener>;
  /** What a command line in its network begins with. */
  readonly apart: readonly string[];
}

/** A place whose commands are started in a network that only this test uses. */
export async function placeApart(user: SandboxUser): Promise<PlaceApart> {
  const place = placeFor(user);
  const apart = process.getuid?.() === 0 ? await newNetwork() : [];
  const argv = (args: readonly string[]) => [...apart, ...place.argv(args)];
  const run = (args: readonly string[]): Ran => {
    const [program = "", ...rest] = argv(args);
    place.give();
    const options = { cwd: place.workspace, env: place.env, timeout: 60_000 };
    return spawnSync(program, rest, { ...options, encoding: "utf8" });
  };
  const sh = (script: string, flags: readonly string[] = ["--sandbox", "workspace-write"]) =>
    run(["run", ...flags, "--", "/bin/sh", "-c", script]);
  const listen = (names: SocketNames, prefix: readonly string[] = []) =>
    listenAt(names, [...apart, ...prefix]);
  return { ...place, apart, argv, run, sh, listen };
}

async function newNetwork(): Promise<string[]> {
  const holder: ChildProcess = spawn("unshare", ["-n", "sleep", "300"], { stdio: "ignore" });
  onTestFinished(() => void holder.kill("SIGKILL"));
  const network = `/proc/${holder.pid}/ns/net`;
  const ours = readlinkSync("/proc/self/ns/net");
  while (readlinkSync(network) === ours) await sleep(5);
  return ["nsenter", `--net=${network}`, "--"];
}
