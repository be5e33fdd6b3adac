/** The command line in a world of its own: nothing of the process that runs the tests is seen. */
import { runCliIn } from "../../../src/cli/run-cli.ts";

export interface Run {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

export interface TestWorld {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Whether a person sits at a terminal. */
  readonly isWatched?: boolean;
}

/** Runs one command line in a folder, with the user's settings in another. */
export function writ(
  args: readonly string[],
  folder = "/repo",
  writHome = "/nowhere",
): Promise<Run> {
  return writIn(args, { folder, env: { WRIT_HOME: writHome }, home: "/home/me" });
}

/** Runs one command line in any world. */
export async function writIn(
  args: readonly string[],
  { folder, env, home, isWatched }: TestWorld,
): Promise<Run> {
  const printed = { out: "", err: "" };
  const status = await runCliIn(args, {
    out: (text) => {
      printed.out += text;
    },
    err: (text) => {
      printed.err += text;
    },
    env: { TMPDIR: "/var/tmp/me", ...env },
    cwd: folder,
    home,
    hostname: "host",
    platform: "linux",
    isWatched,
  });
  return { status, ...printed };
}
