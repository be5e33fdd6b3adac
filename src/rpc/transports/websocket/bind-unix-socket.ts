/**
 * Binding a socket file that only its owner may use, and only one listener has.
 *
 * The server listens under a name of its own first and is then linked to the path,
 * which fails when the path exists. So whatever is at a path answers, or its
 * process is gone and the file is stale. A stale file is removed only by the
 * holder of a lock file; a socket that somebody answers on, and a file that is no
 * socket, are never touched.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { TransportError } from "../transport-error.ts";
import { bindError } from "./bind-error.ts";
import { type SocketFiles, socketFiles } from "./socket-files.ts";
import { socketPathProblem } from "./socket-path-problem.ts";

interface Names {
  /** Where the socket is bound. */
  readonly own: string;
  /** Where clients look for it. */
  readonly path: string;
}

/**
 * Binds `server` to `path` with mode 0600. Returns the function that removes the
 * file if it is still this server's; call it while the server listens.
 */
export async function bindUnixSocket(
  server: net.Server,
  { path: file, files = socketFiles }: { readonly path: string; readonly files?: SocketFiles },
): Promise<() => void> {
  const problem = socketPathProblem(file);
  if (problem) {
    const quoted = JSON.stringify(file);
    throw new TransportError("cannotBind", `Cannot listen on ${quoted}: ${problem}`);
  }
  const names = { own: ownName(file), path: file };
  let identity: string | undefined;
  const release = () => {
    try {
      if (identity && files.look(file)?.identity === identity) files.remove(file);
    } catch {
      // A file that cannot be removed is stale from now on, and the next listener replaces it.
    }
  };
  try {
    await listen(server, names);
    files.setMode(names.own, 0o600);
    identity = files.look(names.own)?.identity;
    await publish(names, files);
    files.remove(names.own);
    return release;
  } catch (cause) {
    release();
    await discard(server);
    throw cause instanceof TransportError ? cause : bindError(file, cause as Error);
  }
}

/** Short, since it has to fit where the path fits, and unlike any other. */
function ownName(file: string): string {
  return path.join(path.dirname(file), `.${randomBytes(4).toString("hex")}`);
}

async function listen(server: net.Server, { own, path: file }: Names): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // Stays for good: a failed accept is an error event too, and must not end the process.
  server.on("error", (cause) => reject(folderMissing(file) ?? bindError(file, cause)));
  // The file appears inside `listen`, which binds before it returns: with this
  // mask there is no moment in which another user could connect.
  const mask = process.umask(0o077);
  try {
    server.listen({ path: own }, resolve);
  } finally {
    process.umask(mask);
  }
  await promise;
}

/** The system's word for it comes as EACCES: libuv says everywhere what Windows says. */
function folderMissing(file: string): TransportError | undefined {
  const folder = path.dirname(file);
  if (existsSync(folder)) return undefined;
  const why = `there is no folder "${folder}", expected one`;
  return new TransportError("cannotBind", `Cannot listen on "${file}": ${why}`);
}

/** Closing a server that listens removes the name it was bound to. */
async function discard(server: net.Server): Promise<void> {
  if (!server.listening) return;
  await new Promise((resolve) => server.close(resolve));
}

async function publish({ own, path: file }: Names, files: SocketFiles): Promise<void> {
  if (files.link(own, file)) return;
  await removeStale(file, files);
  if (!files.link(own, file)) throw taken(file, "another process was first");
}

/** Under the lock nobody else removes the file, and while it is there nobody can link another. */
async function removeStale(file: string, files: SocketFiles): Promise<void> {
  const lock = `${file}.lock`;
  if (!files.create(lock)) throw taken(file, `"${lock}" says that another process replaces it`);
  try {
    const found = files.look(file);
    if (!found) return;
    if (!found.isSocket) throw taken(file, "the path is not a socket");
    if (await answers(file)) throw taken(file, "another process is listening");
    files.remove(file);
  } finally {
    files.remove(lock);
  }
}

function taken(file: string, why: string): TransportError {
  return new TransportError(
    "addressInUse",
    `Cannot listen on "${file}": ${why}, expected a free path`,
  );
}

/** True unless the connection is refused outright; in doubt the socket counts as live. */
function answers(file: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.connect({ path: file });
    probe.once("connect", () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", (error: NodeJS.ErrnoException) => {
      resolve(error.code !== "ECONNREFUSED" && error.code !== "ENOENT");
    });
  });
}
