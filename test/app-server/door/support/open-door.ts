/** The command behind its flags, with a stand-in for the server and for the edges of the process. */
import { PassThrough } from "node:stream";
import { onTestFinished } from "vitest";
import type { AppDoor } from "../../../../src/cli/app/app-door.ts";
import { serveApp } from "../../../../src/cli/app/serve-app.ts";
import type { CliWorld, FlagValues } from "../../../../src/cli/command.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { StandInServer } from "./stand-in-server.ts";

export interface OpenDoor {
  readonly server: StandInServer;
  readonly input: PassThrough;
  readonly output: PassThrough;
  readonly home: string;
  /** What the server was told about its door. */
  readonly door: () => AppDoor | undefined;
  readonly out: () => string;
  readonly err: () => string;
  /** Where it listens; settles with what it said when it ended instead. */
  readonly address: Promise<string>;
  /** As a signal would. */
  stop(): void;
  readonly status: Promise<number>;
}

export interface DoorOptions {
  readonly server?: StandInServer;
  readonly home?: string;
}

/** Serves for one test. */
export function openDoor(flags: FlagValues, options: DoorOptions = {}): OpenDoor {
  const { server = new StandInServer(), home = temporaryFolder() } = options;
  const printed = { out: "", err: "" };
  const [input, output] = [new PassThrough(), new PassThrough()];
  const stopped = Promise.withResolvers<void>();
  const address = Promise.withResolvers<string>();
  let door: AppDoor | undefined;
  const world: CliWorld = {
    out: (text) => {
      printed.out += text;
    },
    err: (text) => {
      printed.err += text;
      const [, found] = /listening on: (\S+)\n/.exec(printed.err) ?? [];
      if (found !== undefined) address.resolve(found);
    },
    env: { WRIT_HOME: home },
    cwd: "/",
    home: "/home/me",
    hostname: "host",
    platform: "linux",
  };
  const status = serveApp({ flags, positionals: [] }, world, {
    open: async (_, __, told) => {
      door = told;
      return server;
    },
    stdio: { input, output },
    stopped: () => stopped.promise,
  });
  status.then(
    () => address.resolve(printed.err),
    (error: unknown) => address.reject(error),
  );
  address.promise.catch(() => {});
  onTestFinished(async () => {
    stopped.resolve();
    await status.catch(() => {});
  });
  return {
    server,
    input,
    output,
    home,
    door: () => door,
    out: () => printed.out,
    err: () => printed.err,
    address: address.promise,
    stop: stopped.resolve,
    status,
  };
}

/** A door on a port of the loopback address. */
export function openPort(flags: FlagValues = {}, options: DoorOptions = {}): OpenDoor {
  return openDoor({ listen: "ws://127.0.0.1:0", ...flags }, options);
}
