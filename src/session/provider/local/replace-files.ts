/**
 * Puts files in place as a whole: written beside their place first, then moved there.
 *
 * File operations of an executor have no rename and no modes, so the move is a
 * command in the sandbox, one for a whole call, under the intent of the call. A
 * process that is killed before the move leaves files beside their places; the
 * thread's next change in that folder takes them away.
 */
import { createHash, randomBytes } from "node:crypto";
import { FileError, type FileOperations } from "../../../exec/index.ts";
import { joinUri, type PathUri, parentUri } from "../../../policy/index.ts";
import { Refusal, refuseAborted } from "../../refusal.ts";
import { whatOf } from "../attempt.ts";
import type { CommandEnd } from "../provided-command.ts";
import type { FileRequest, FilesChanged, FileToWrite } from "../provided-sandbox.ts";
import { refuseMode } from "../refuse-mode.ts";
import { nativePath, sandboxPath } from "../sandbox-path.ts";
import { heldPlace } from "./held-place.ts";
import { attempting } from "./to-session-error.ts";

export interface ReplacePlace {
  readonly files: FileOperations;
  readonly workspace: PathUri;
  /** Names files that wait: one process at a time changes files for a thread. */
  readonly thread: string;
  /** Whose home and tmp are seen; null for none. */
  readonly anchor: string | null;
  /** Runs a command of the provider's own to its end. */
  readonly run: (argv: readonly [string, ...string[]], under: FileRequest) => Promise<CommandEnd>;
}

/** A file that waits beside its place. */
interface Waiting {
  readonly path: string;
  readonly mode: number | undefined;
  readonly from: PathUri;
  readonly to: PathUri;
  /** Whose mode it takes. */
  readonly like: PathUri | undefined;
}

/**
 * Of each file: mode, from, to and whose mode it takes. What could not be written must not be replaced either, nor anything beside
 * it. The tools are those of the system, whatever programs a snapshot puts before them.
 */
const MOVE = `set -e
${heldPlace.ENTER}
check() {
  while [ "$#" -gt 0 ]; do
    enter "$3"
    [ ! -e "$at" ] || [ -w "$at" ]
    shift 4
  done
}
like() {
  command -p chmod --reference="$1" "$2" 2>/dev/null || [ ! -x "$1" ] || command -p chmod +x "$2"
}
check "$@"
while [ "$#" -gt 0 ]; do
  enter "$2"
  from=$at
  enter "$3"
  [ -z "$4" ] || like "$4" "$from"
  [ -z "$1" ] || command -p chmod "$1" "$from"
  command -p mv -fT "$from" "$at"
  shift 4
done`;

/** An argument list has its limits. */
export const MOST_AT_ONCE = 500;

/** Replaces each file, with the folders above it. What was not put in place leaves nothing behind. */
export async function replaceFiles(
  written: readonly FileToWrite[],
  under: FileRequest,
  place: ReplacePlace,
): Promise<FilesChanged> {
  for (const file of written) refuseMode(file);
  const waiting: Waiting[] = [];
  const putting = { place, waiting, cleared: new Set<PathUri>() };
  let receiptId: string | null = null;
  try {
    for (const file of written) await putBeside(file, under, putting);
    for (let at = 0; at < waiting.length; at += MOST_AT_ONCE) {
      ({ receiptId } = await move(waiting.slice(at, at + MOST_AT_ONCE), under, place));
    }
    return { receiptId };
  } catch (error) {
    await clear(waiting, under, place);
    throw error;
  } finally {
    for (const { from } of waiting) IN_FLIGHT.delete(from);
  }
}

/** Files that wait for changes of this process, which may be several at once. */
const IN_FLIGHT = new Set<PathUri>();

interface Putting {
  readonly place: ReplacePlace;
  readonly waiting: Waiting[];
  /** Folders that were looked at. */
  readonly cleared: Set<PathUri>;
}

function putBeside(
  { path, content, mode, modeOf }: FileToWrite,
  under: FileRequest,
  { place, waiting, cleared }: Putting,
): Promise<void> {
  const { files, workspace, anchor } = place;
  const { intent, signal } = under;
  const attempt = { verb: "write", thing: path, work: "change" } as const;
  const at = (path: PathUri) => ({ path, links: "follow", sandbox: intent, anchor }) as const;
  const held = (path: PathUri) => ({ ...at(path), links: heldPlace.linksUnder(intent) });
  return attempting(attempt, async () => {
    refuseAborted(signal, whatOf(attempt));
    const asked = sandboxPath(workspace, path);
    const there = await unlessAbsent(files.canonicalize(at(asked)));
    const to = there ?? asked;
    const folder = parentUri(to);
    if (folder === undefined) throw new FileError("isDirectory", "it is the root");
    heldPlace.refuseElsewhere(asked, to, under);
    if (there === undefined) await files.createDirectory(held(folder), { recursive: true });
    else await refuseOther(files.getMetadata(at(to)));
    if (!cleared.has(folder)) await clearLeft(at(folder), place);
    cleared.add(folder);
    const from = joinUri(folder, `${waitingPrefix(place)}${randomBytes(8).toString("hex")}`);
    const isNew = there === undefined && modeOf !== undefined;
    waiting.push({
      path,
      mode,
      from,
      to,
      like: isNew ? sandboxPath(workspace, modeOf) : undefined,
    });
    IN_FLIGHT.add(from);
    // A new file takes the mode of the one it stands for.
    if (there !== undefined) await files.copy(at(to), at(from), { recursive: false });
    await files.writeFile(held(from), content);
  });
}

function waitingPrefix({ thread }: ReplacePlace): string {
  return `.writ-${createHash("sha256").update(thread).digest("hex").slice(0, 16)}-`;
}

/** What cannot be looked at or taken away stays; the change itself says why, if it is in its way too. */
async function clearLeft(
  folder: Parameters<FileOperations["remove"]>[0],
  place: ReplacePlace,
): Promise<void> {
  const entries = await place.files.readDirectory(folder).catch(() => []);
  const prefix = waitingPrefix(place);
  // By the last name alone, which is chance: one folder may have two.
  const waits = (name: string) => [...IN_FLIGHT].some((from) => from.endsWith(`/${name}`));
  for (const { fileName } of entries) {
    if (!fileName.startsWith(prefix) || waits(fileName)) continue;
    const path = joinUri(folder.path, fileName);
    await place.files
      .remove({ ...folder, path }, { recursive: false, force: true })
      .catch(() => {});
  }
}

async function unlessAbsent<T>(look: Promise<T>): Promise<T | undefined> {
  try {
    return await look;
  } catch (error) {
    if (error instanceof FileError && error.code === "notFound") return undefined;
    throw error;
  }
}

async function refuseOther(look: ReturnType<FileOperations["getMetadata"]>): Promise<void> {
  const { isDirectory, isFile } = await look;
  if (isDirectory) throw new FileError("isDirectory", "it is a folder");
  if (!isFile) throw new FileError("invalid", "it is no plain file");
}

async function move(
  waiting: readonly Waiting[],
  under: FileRequest,
  { run }: ReplacePlace,
): Promise<FilesChanged> {
  const [{ path: thing } = { path: "" }] = waiting;
  refuseAborted(under.signal, `write "${thing}"`);
  const words = waiting.flatMap(({ mode, from, to, like }) => [
    mode?.toString(8) ?? "",
    nativePath(from),
    nativePath(to),
    like === undefined ? "" : nativePath(like),
  ]);
  const { exitCode, receiptId } = await run(
    ["/bin/sh", "-c", MOVE, "sh", heldPlace.firstWord(under), ...words],
    under,
  );
  if (exitCode === 0) return { receiptId };
  throw new Refusal(
    "forbidden",
    `Cannot write ${waiting.length === 1 ? `"${thing}"` : "these files"}: what is there cannot be replaced, expected a place that the policy and the rights of the user open`,
    { receiptId },
  );
}

/** What is not there any more was moved. */
async function clear(
  waiting: readonly Waiting[],
  { intent }: FileRequest,
  { files, anchor }: ReplacePlace,
): Promise<void> {
  for (const { from } of waiting) {
    const at = { path: from, links: "follow", sandbox: intent, anchor } as const;
    await files.remove(at, { recursive: false, force: true }).catch(() => {});
  }
}
