/** File operations on this machine, in this process, each held to the intent it comes with. */
import fs from "node:fs";
import { type AbsolutePath, uriOfNative } from "../../policy/index.ts";
import type { ExecHost } from "../exec-host.ts";
import { pathOf } from "../intent/bind-intent.ts";
import { copyTree } from "./copy-tree.ts";
import { openFileOf, readFileBytes, writeFileBytes } from "./file-bytes.ts";
import { FileError, fileErrorOf } from "./file-error.ts";
import type { AtPath, FileOperations } from "./file-operations.ts";
import { FileViews } from "./file-views.ts";
import { listFolder, lookAt, realPathOf } from "./look-at.ts";
import { makeFolder } from "./make-folder.ts";
import { createPause } from "./pause.ts";
import { openContentToRead, openContentToWrite } from "./places/open-content.ts";
import { PathWalk } from "./places/path-walk.ts";
import { removeTree } from "./remove-tree.ts";
import { checkWalk, walkTree } from "./walk-tree.ts";

interface Local {
  readonly path: AbsolutePath;
  readonly links: AtPath["links"];
}

type Work<T> = (walk: PathWalk, at: Local) => Promise<T> | T;

/** What a command could not read or write, these cannot either. */
export function createLocalFiles(host: ExecHost): FileOperations {
  const views = new FileViews(host);

  async function under<T>(at: AtPath, work: Work<T>): Promise<T> {
    const local = { path: pathOf(at.path, "path", host), links: at.links };
    const { view, fresh } = await views.of(at.sandbox);
    try {
      return await within(new PathWalk(view), local, work);
    } catch (error) {
      // A kept view may be behind: what it refuses may have been opened a moment ago.
      if (fresh || !(error instanceof FileError) || !error.byPolicy) throw error;
      return within(new PathWalk(await views.renew(at.sandbox)), local, work);
    }
  }

  return {
    readFile: (at) =>
      under(at, (walk, local) => using(openContentToRead(walk, local), readFileBytes)),
    writeFile: (at, bytes) =>
      under(at, (walk, local) =>
        using(openContentToWrite(walk, local, "kept"), (fd) => writeFileBytes(fd, bytes)),
      ),
    createDirectory: (at, { recursive }) =>
      under(at, (walk, local) => makeFolder(walk, { ...local, recursive })),
    getMetadata: (at) => under(at, lookAt),
    canonicalize: (at) => under(at, (walk, local) => uriOfNative(realPathOf(walk, local))),
    readDirectory: (at) => under(at, (walk, local) => listFolder(walk, local, createPause())),
    async walk(at, options) {
      checkWalk(options);
      return under(at, (walk, local) => walkTree(walk, local, { options, pause: createPause() }));
    },
    remove: (at, options) =>
      under(at, (walk, local) => removeTree(walk, { ...local, ...options }, createPause())),
    copy: (from, to, { recursive }) =>
      under(from, (source, at) =>
        under(to, (target, into) =>
          copyTree(
            { walk: source, ...at },
            { walk: target, ...into },
            { recursive, pause: createPause() },
          ),
        ),
      ),
    open: (at, mode) =>
      under(at, (walk, local) =>
        openFileOf(
          mode === "read"
            ? openContentToRead(walk, local)
            : openContentToWrite(walk, local, "emptied"),
        ),
      ),
  };
}

async function within<T>(walk: PathWalk, at: Local, work: Work<T>): Promise<T> {
  try {
    return await work(walk, at);
  } catch (cause) {
    throw fileErrorOf(cause);
  } finally {
    walk.close();
  }
}

async function using<T>(fd: number, use: (fd: number) => Promise<T>): Promise<T> {
  try {
    return await use(fd);
  } finally {
    fs.closeSync(fd);
  }
}
