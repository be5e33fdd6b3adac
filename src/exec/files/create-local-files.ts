/** File operations on this machine, in this process, each held to the intent it comes with. */
import fs from "node:fs";
import { uriOfNative } from "../../policy/index.ts";
import { ExecError } from "../exec-error.ts";
import type { ExecHost } from "../exec-host.ts";
import { keepLook } from "../receipts/keep-look.ts";
import type { LookRecord } from "../receipts/look-record.ts";
import type { ReceiptKeeper } from "../receipts/run-receipt.ts";
import { copyTree } from "./copy-tree.ts";
import { openFileOf, readFileBytes, writeFileBytes } from "./file-bytes.ts";
import type { AtPath, FileOperations, OpenFile } from "./file-operations.ts";
import { listFolder, lookAt, realPathOf } from "./look-at.ts";
import { makeFolder } from "./make-folder.ts";
import { createPause } from "./pause.ts";
import { openContentToRead, openContentToWrite } from "./places/open-content.ts";
import { removeTree } from "./remove-tree.ts";
import { type AnchorEntrance, type FileWork, UnderIntent } from "./under-intent.ts";
import { checkWalk, walkTree } from "./walk-tree.ts";

export interface LocalFilesParts {
  /** Without an entrance there are no anchors. */
  readonly anchors?: AnchorEntrance;
  /** Without a keeper no look can be put on record. */
  readonly receipts?: ReceiptKeeper;
}

/** What a command could not read or write, these cannot either. */
export function createLocalFiles(
  host: ExecHost,
  { anchors, receipts }: LocalFilesParts = {},
): FileOperations {
  const intents = new UnderIntent(host, anchors);
  const under = <T>(at: AtPath, work: FileWork<T>) => intents.run(at, work);
  const once = <T>(at: AtPath, work: FileWork<T>) => intents.runOnce(at, work);
  const looking = <T>(name: string, { at, record }: Asked, work: FileWork<T>) => {
    if (record === undefined) return under(at, work);
    if (receipts === undefined) throw unrecorded(name);
    return keepLook({ name, at, record }, receipts, (know) => intents.run(at, work, know));
  };

  return {
    readFile: async (at, { most, record } = {}) =>
      looking("fs/readFile", { at, record }, (walk, local) =>
        using(openContentToRead(walk, local), (fd) => readFileBytes(fd, most)),
      ),
    writeFile: (at, bytes) =>
      under(at, (walk, local) =>
        using(openContentToWrite(walk, local, "kept"), (fd) => writeFileBytes(fd, bytes)),
      ),
    createDirectory: (at, { recursive }) =>
      under(at, (walk, local) => makeFolder(walk, { ...local, recursive })),
    getMetadata: (at) => under(at, lookAt),
    canonicalize: (at) => under(at, (walk, local) => uriOfNative(realPathOf(walk, local))),
    readDirectory: async (at, { record } = {}) =>
      looking("fs/readDirectory", { at, record }, (walk, local) =>
        listFolder(walk, local, createPause(local.over)),
      ),
    async walk(at, options) {
      checkWalk(options);
      return under(at, (walk, local) =>
        walkTree(walk, local, { options, pause: createPause(local.over) }),
      );
    },
    remove: (at, options) =>
      (options.recursive ? once : under)(at, (walk, local) =>
        removeTree(walk, { ...local, ...options }, createPause(local.over, options.signal)),
      ),
    copy: (from, to, { recursive, signal }) =>
      once(from, (source, at) =>
        once(to, (target, into) =>
          copyTree(
            { walk: source, ...at },
            { walk: target, ...into },
            { recursive, pause: createPause(at.over, into.over, signal) },
          ),
        ),
      ),
    async open(at, mode, { record } = {}) {
      let opened: OpenFile | undefined;
      const open: FileWork<OpenFile> = (walk, local) => {
        const fd =
          mode === "read"
            ? openContentToRead(walk, local)
            : openContentToWrite(walk, local, "emptied");
        opened = openFileOf(fd, local.over);
        return opened;
      };
      try {
        return await looking("fs/open", { at, record }, open);
      } catch (error) {
        // It may have been opened, and could not be put on record.
        await opened?.close();
        throw error;
      }
    },
  };
}

interface Asked {
  readonly at: AtPath;
  readonly record: LookRecord | undefined;
}

function unrecorded(name: string): ExecError {
  const why = "it is to be on record, and no receipts are kept here";
  return new ExecError(
    "unenforceable",
    `Cannot do "${name}": ${why}, expected a keeper of receipts`,
  );
}

async function using<T>(fd: number, use: (fd: number) => Promise<T>): Promise<T> {
  try {
    return await use(fd);
  } finally {
    fs.closeSync(fd);
  }
}
