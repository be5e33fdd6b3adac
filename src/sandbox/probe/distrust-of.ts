/**
 * Who could have put a program where it is.
 *
 * A program that confines is trusted when root alone can replace it: the file,
 * every folder and every link on the way belong to root, and nobody else may
 * write to them. A program of this very user is not enough, since commands run
 * as this user. In a user namespace where root has no number, whoever owns `/`
 * stands for root: the owner of `/` could replace anything anyhow. Rights
 * from an access control list show up as those of the group; see acl(5).
 */
import { constants, lstatSync } from "node:fs";
import { type AbsolutePath, parseAbsolutePath } from "../../policy/index.ts";
import { realFileFacts } from "../files/file-facts.ts";
import { parentOf } from "../files/parent-of.ts";
import { resolvePath } from "../files/resolve-path.ts";

export interface Distrust {
  readonly detail: string;
  /** A command for root; nothing when no single one helps. */
  readonly fix?: string;
}

/** The file itself, or a folder or a link on the way to it. */
export interface WayPart {
  readonly path: string;
  readonly uid: number;
  /** Kind and rights; see inode(7). */
  readonly mode: number;
}

const SETUID_OR_SETGID = 0o6000;
const STICKY = 0o1000;
const WRITE_FOR_OTHERS = 0o022;
const EXECUTE = 0o111;

let vouched: ReadonlySet<string> | undefined;

/**
 * These programs are trusted, and no others, until that is taken back: a process that has the numbers of all users told
 * it so. In a user namespace where most have none, root's cannot be told from those of somebody else.
 */
export function trustOnly(programs: readonly string[]): () => void {
  vouched = new Set(programs);
  return () => {
    vouched = undefined;
  };
}

/** Why this program cannot be trusted; nothing when it can. Never starts it. */
export function distrustOf(program: string): Distrust | undefined {
  if (vouched?.has(program)) return undefined;
  if (vouched !== undefined) return { detail: `nobody vouched for ${program}` };
  try {
    const { real, links } = resolvePath(parseAbsolutePath(program), realFileFacts([]));
    const parts = new Set([...links.map(({ at }) => at), real].flatMap(wayTo));
    // The file last, whatever else leads to it.
    parts.delete(real);
    return distrustOfWay([...parts, real].map(lookAt), process.getuid?.() ?? -1);
  } catch (error) {
    return { detail: error instanceof Error ? error.message : String(error) };
  }
}

/** The first fault on the way from `/`, which comes first, to the file, which comes last. */
export function distrustOfWay(way: readonly WayPart[], self: number): Distrust | undefined {
  const top = way[0]?.uid ?? 0;
  const isRoots = (uid: number) => uid === 0 || (uid === top && uid !== self);
  for (const { path, uid, mode } of way) {
    if (!isRoots(uid)) {
      const detail = `${path} belongs to user ${uid}`;
      // Where not even `/` is root's, this is no host of ours to put in order.
      return uid === top ? { detail } : { detail, fix: `chown -h root:root ${path}` };
    }
    if (!isGuarded(mode) && (mode & WRITE_FOR_OTHERS) !== 0) {
      return { detail: `${path} can be written by others`, fix: `chmod go-w ${path}` };
    }
  }
  const file = way.at(-1);
  return file === undefined ? { detail: "there is no such file" } : distrustOfFile(file);
}

/** A link has no rights of its own; in a sticky folder nobody touches what is root's. */
function isGuarded(mode: number): boolean {
  const kind = mode & constants.S_IFMT;
  return kind === constants.S_IFLNK || (kind === constants.S_IFDIR && (mode & STICKY) !== 0);
}

function distrustOfFile({ path, mode }: WayPart): Distrust | undefined {
  if ((mode & constants.S_IFMT) !== constants.S_IFREG) return { detail: `${path} is not a file` };
  if ((mode & SETUID_OR_SETGID) !== 0) {
    return { detail: `${path} is setuid or setgid`, fix: `chmod u-s,g-s ${path}` };
  }
  return (mode & EXECUTE) === 0 ? { detail: `${path} cannot be executed` } : undefined;
}

/** From `/` down, so that the broadest fault is the one that is told. */
function wayTo(path: AbsolutePath): AbsolutePath[] {
  return path === "/" ? [path] : [...wayTo(parentOf(path)), path];
}

function lookAt(path: AbsolutePath): WayPart {
  const { uid, mode } = lstatSync(path);
  return { path, uid, mode };
}
