/** How a program is started among overlays that no other process has. Pure. */
import { SandboxError } from "../sandbox-error.ts";
import type { Overlay } from "./overlay.ts";

export interface OverlaidProgram {
  readonly overlays: readonly Overlay[];
  readonly uid: number;
  readonly gid: number;
  readonly command: readonly [string, ...string[]];
}

/** The programs of the host that this takes. */
export const OVERLAY_PROGRAMS = { unshare: "/usr/bin/unshare", shell: "/bin/sh" } as const;
/** Lies beside the first and is as good. Many hosts have it run as root, which means nothing where it is used. */
const MOUNT = "/usr/bin/mount";

/**
 * Each folder is entered first and mounted on from inside: what lies below is what is covered, and no
 * name of the user's stands among options.
 *
 * The program runs in one more user namespace, in which it is who it was before. What made the mounts is
 * gone by then, so nobody is left who could change them.
 */
const SCRIPT = `
set -eu
uid=$1 gid=$2 count=$3
shift 3
while [ "$count" -gt 0 ]; do
  cd -P -- "$1"
  ${MOUNT} -t overlay overlay -o "lowerdir=.,upperdir=$2,workdir=$3,userxattr" .
  shift 3
  count=$((count - 1))
done
cd /
exec ${OVERLAY_PROGRAMS.unshare} --user --map-user="$uid" --map-group="$gid" -- "$@"
`;

/** The command line. Throws {@link SandboxError} for a place that no option can name. */
export function planOverlays(program: OverlaidProgram): [string, ...string[]] {
  const { overlays, uid, gid, command } = program;
  const places = overlays.flatMap(({ path, upper, work }) => [path, plain(upper), plain(work)]);
  const { unshare, shell } = OVERLAY_PROGRAMS;
  return [
    unshare,
    ...["--user", "--map-root-user", "--mount", "--propagation", "private", "--"],
    ...[shell, "-c", SCRIPT, "sh", String(uid), String(gid), String(overlays.length)],
    ...places,
    ...command,
  ];
}

/** What separates options and names of layers, or is written otherwise in a list of mounts. */
const SPECIAL = /[,:\\"'\s]|[^\x21-\x7e]/;

function plain(path: string): string {
  if (!SPECIAL.test(path)) return path;
  throw new SandboxError(
    "unenforceableRule",
    `Cannot keep writes in "${path}": its name has a character that options of a mount cannot have, expected another folder`,
  );
}
