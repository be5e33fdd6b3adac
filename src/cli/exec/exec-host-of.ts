/** The machine as its operator set it up, for the executor that runs on it. */
import fs from "node:fs";
import path from "node:path";
import { loadConfig, REQUIREMENTS } from "../../config/index.ts";
import { type ExecHost, probePlaces } from "../../exec/index.ts";
import { type AbsolutePath, type Ceiling, parseAbsolutePath } from "../../policy/index.ts";
import { recordsFolder } from "../../sandbox/index.ts";
import { type CliWorld, type FlagValues, UsageError } from "../command.ts";
import { folderProblem } from "../help/folder-problem.ts";
import { ownPaths } from "../own-paths.ts";
import { ownHome } from "../policy/bind-flags.ts";

export interface HostPlace {
  readonly flags: FlagValues;
  readonly world: CliWorld;
  /** Whether a command in the host's network could come back as a client. */
  readonly reachable: boolean;
  /** Files that decide who may ask, and hold secrets. */
  readonly secrets: readonly string[];
  /** Files that decide whose requests count at the next start. */
  readonly settings: readonly string[];
}

/** Reads what bounds every request. Throws where a bound cannot be read. */
export async function execHostOf({
  flags,
  world,
  reachable,
  secrets,
  settings,
}: HostPlace): Promise<ExecHost> {
  const asked = flags.ceiling === undefined ? [] : [path.resolve(world.cwd, String(flags.ceiling))];
  const files = [REQUIREMENTS, ...asked];
  const ceilings = await Promise.all(files.map((file) => ceilingIn(file, world)));
  if (asked.length > 0 && ceilings.at(-1) === undefined) {
    const what = "there is no such file, expected a requirements file";
    throw new UsageError(`Cannot use --ceiling "${asked[0]}": ${what}`);
  }
  const own = ownPaths(world, [...files, ...settings]);
  return {
    env: world.env,
    ...probePlaces(world.env),
    platform: world.platform,
    own: { ...own, hidden: [...own.hidden, ...secrets.map(parseAbsolutePath)] },
    records: recordsFolder(),
    externalSandbox: flags["external-sandbox"] ? "trusted" : "absent",
    bounds: {
      ceilings: ceilings.filter((one) => one !== undefined),
      roots: rootsOf(flags, world),
      waivers: flags["require-sandbox"] ? "refused" : "allowed",
      hostNetwork: reachable ? "refused" : "allowed",
    },
  };
}

async function ceilingIn(requirements: string, world: CliWorld): Promise<Ceiling | undefined> {
  const { hostname } = world;
  const { ceiling } = await loadConfig({
    writHome: ownHome(world),
    // No project speaks for a machine.
    folder: "/",
    requirements,
    hostname,
  });
  return ceiling;
}

function rootsOf({ root }: FlagValues, { cwd }: CliWorld): readonly AbsolutePath[] | "notHome" {
  if (root === undefined) return "notHome";
  return [root].flat().map((one) => {
    const folder = path.resolve(cwd, String(one));
    const what = folderProblem(folder);
    if (what === undefined) return parseAbsolutePath(fs.realpathSync(folder));
    throw new UsageError(`Cannot use --root "${one}": ${what}, expected a folder`);
  });
}
