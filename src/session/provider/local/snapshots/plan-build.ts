/**
 * What is run to build a layer, and under which policy. Pure.
 *
 * The code of strangers runs with the network: it sees what programs need to
 * start and nothing of the user's, and writes into the layer and into a home
 * that is gone when it ends.
 */
import type { SandboxIntent } from "../../../../exec/index.ts";
import { type AbsolutePath, type Entry, uriOfNative } from "../../../../policy/index.ts";
import type { DependencyProfile } from "../../../snapshots/dependency-profile.ts";
import type { Toolchain } from "./find-toolchain.ts";

export interface BuildCommand {
  /** For people: what it is called. */
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
  /** What it prints where it failed and exits with 0 all the same. */
  readonly failure?: RegExp;
}

export interface BuildPlace {
  readonly layer: AbsolutePath;
  /** Nothing where no package of npm is asked for. */
  readonly toolchain: Toolchain | undefined;
  /** Where names of hosts are looked up, where that is not among the platform defaults. */
  readonly resolver: AbsolutePath | undefined;
  /** Of what `:minimal` opens, what is nobody's business who installs something. */
  readonly secrets: readonly AbsolutePath[];
}

const QUIET = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=warn"];

/** A file that could not be written, as on a full disk, is but a warning to npm. */
const LEFT_OUT = /TAR_ENTRY_ERROR/;

/** Packages first, then the commands in their order. */
export function planBuild(profile: DependencyProfile, place: BuildPlace): BuildCommand[] {
  const { npm, registry, postinstall } = profile;
  const { layer, toolchain } = place;
  const packages = Object.entries(npm).map(([name, version]) => `${name}@${version}`);
  const from = registry === undefined ? [] : [`--registry=${registry}`];
  const flags = ["--global", `--prefix=${layer}`, ...from, ...QUIET];
  const install: BuildCommand[] =
    toolchain === undefined
      ? []
      : [
          {
            name: "npm install",
            failure: LEFT_OUT,
            argv: [toolchain.node, toolchain.npm, "install", ...flags, "--", ...packages],
          },
        ];
  return [...install, ...postinstall.map((argv): BuildCommand => ({ name: argv[0], argv }))];
}

/** Of one step: whoever waits for a build that hangs waits for that. */
const MOST_STEP_MS = 20 * 60_000;

export function buildIntent({ network }: DependencyProfile, place: BuildPlace): SandboxIntent {
  const { toolchain, resolver, layer, secrets } = place;
  const seen = [...(toolchain?.folders ?? []), ...(resolver === undefined ? [] : [resolver])];
  const entries: Entry[] = [
    { target: { type: "minimal" }, access: "read" },
    { target: { type: "tmpdir" }, access: "write" },
    ...seen.map((one) => at(one, "read")),
    ...secrets.map((one): Entry => ({ ...at(one, "deny"), missing: "skip" })),
  ];
  return {
    kind: "enforce",
    context: {
      profile: {
        type: "managed",
        fileSystem: { type: "restricted", entries },
        network: { kind: network ? "enabled" : "restricted" },
        unixSockets: "none",
        limits: { wallTimeMs: MOST_STEP_MS },
      },
      cwd: uriOfNative(layer),
      workspaceRoots: [],
      settings: { windowsSandboxLevel: "disabled" },
    },
  };
}

function at(path: AbsolutePath, access: "read" | "deny") {
  return { target: { type: "path", path: uriOfNative(path) }, access } as const;
}
