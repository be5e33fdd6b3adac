/**
 * What the flags ask to run, in the form in which every start is asked for.
 *
 * Whoever types a command is the operator of this machine as far as its bounds
 * go: the folders that were named may be worked on.
 */
import { type ExecHost, probePlaces, type StartRequest } from "../exec/index.ts";
import { type AbsolutePath, uriOfNative } from "../policy/index.ts";
import { buildEnvironment, recordsFolder } from "../sandbox/index.ts";
import type { CliWorld, FlagValues } from "./command.ts";
import { ownPaths } from "./own-paths.ts";
import type { BoundFlags } from "./policy/bind-flags.ts";

export interface AskedStart {
  readonly request: StartRequest;
  readonly host: ExecHost;
}

export interface FlagsPlace {
  readonly flags: FlagValues;
  readonly world: CliWorld;
}

/** The request and the host it is meant for. */
export function startOfFlags(
  argv: readonly string[],
  flagged: BoundFlags,
  { flags, world }: FlagsPlace,
): AskedStart {
  const { profile, bound, folder, environment, sources, ceiling } = flagged;
  const { cwd, workspaceRoots } = bound.roots;
  const request: StartRequest = {
    processId: "run",
    argv,
    arg0: null,
    cwd: uriOfNative(folder),
    envPolicy: null,
    env: buildEnvironment(environment, world.env),
    terminal: flags.tty ? { columns: 80, rows: 24 } : null,
    pipeStdin: true,
    sandbox: {
      kind: "enforce",
      context: {
        profile,
        cwd: uriOfNative(cwd),
        workspaceRoots: workspaceRoots.map((root: AbsolutePath) => uriOfNative(root)),
        settings: { windowsSandboxLevel: "disabled" },
      },
    },
    anchor: null,
    ids: {},
  };
  return {
    request,
    host: {
      env: world.env,
      ...probePlaces(world.env),
      platform: world.platform,
      own: ownPaths(world, sources),
      records: recordsFolder(),
      externalSandbox: flags["external-sandbox"] ? "trusted" : "absent",
      bounds: {
        // Whether the name of a profile is on a list was asked when it was still known.
        ceilings: ceiling === undefined ? [] : [withoutNames(ceiling)],
        roots: "any",
        waivers: "allowed",
        hostNetwork: "allowed",
      },
    },
  };
}

function withoutNames({ allowedProfiles: _, ...ceiling }: NonNullable<BoundFlags["ceiling"]>) {
  return ceiling;
}
