/** File operations on this machine, in this process, each held to the intent it comes with. */
import fs from "node:fs";
import { uriOfNative } from "../../policy/index.ts";
import type { ExecHost } from "../exec-host.ts";
import { copyTree } from "./copy-tree.ts";
import { openFileOf, readFileBytes, writeFileBytes } from "./file-bytes.ts";
import type { AtPath, FileOperations } from "./file-operations.ts";
import { listFolder, lookAt, realPathOf } from "./look-at.ts";
import { makeFolder } from "./make-folder.ts";
import { createPause } from "./pause.ts";
import { openContentToRead, openContentToWrite } from "./places/open-content.ts";
import { removeTree } from "./remove-tree.ts";
import { type AnchorEntrance, type FileWork, UnderIntent } from "./under-intent.ts";
import { checkWalk, walkTree } from "./walk-tree.ts";

/** What a command could not read or write, these cannot either. Without `anchors` there are none. */
export function createLocalFiles(host: ExecHost, anchors?: AnchorEntrance): FileOperations {
  const intents = new UnderIntent(host, anchors);
  const under = <T>(at: AtPath, work: FileWork<T>) => intents.run(at, work);
  const once = <T>(at: AtPath, work: FileWork<T>) => intents.runOnce(at, work);

  return {
    readFile: (at, most) =>
      under(at, (walk, local) =>
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
    readDirectory: (at) =>
      under(at, (walk, local) => listFolder(walk, local, createPause(local.over))),
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
    open: (at, mode) =>
      under(at, (walk, local) =>
        openFileOf(
          mode === "read"
            ? openContentToRead(walk, local)
            : openContentToWrite(walk, local, "emptied"),
          local.over,
        ),
      ),
  };
}

async function using<T>(fd: number, use: (fd: number) => Promise<T>): Promise<T> {
  try {
    return await use(fd);
  } finally {
    fs.closeSync(fd);
  }
}
