/**
 * Binding a socket file that only its owner may use.
 *
 * A file left behind by a process that died is replaced; a socket that somebody
 * answers on, and a file that is no socket, are never touched.
 */
import net from "node:net";
import { TransportError } from "../transport-error.ts";
import { bindError } from "./bind-error.ts";
import { type SocketFiles, socketFiles } from "./socket-files.ts";

/** Binds `server` to `path` with mode 0600. Closing the server removes the file. */
export async function bindUnixSocket(
  server: net.Server,
  { path, files = socketFiles }: { readonly path: string; readonly files?: SocketFiles },
): Promise<void> {
  await removeStale(path, files);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.on("error", (cause) => reject(bindError(path, cause)));
  // The file appears inside `listen`, which binds before it returns: with this
  // mask there is no moment in which another user could connect.
  const mask = process.umask(0o077);
  try {
    server.listen(path, resolve);
  } finally {
    process.umask(mask);
  }
  await promise;
  files.setMode(path, 0o600);
}

async function removeStale(path: string, files: SocketFiles): Promise<void> {
  const before = files.look(path);
  if (!before) return;
  if (!before.isSocket) throw taken(path, "the path is not a socket");
  if (await answers(path)) throw taken(path, "another process is listening");
  // Only what was probed: somebody may have bound the path in the meantime.
  const now = files.look(path);
  if (now?.identity === before.identity) files.remove(path);
}

function taken(path: string, why: string): TransportError {
  return new TransportError(
    "addressInUse",
    `Cannot listen on "${path}": ${why}, expected a free path`,
  );
}

/** True unless the connection is refused outright; in doubt the socket counts as live. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.connect(path);
    probe.once("connect", () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", (error: NodeJS.ErrnoException) => {
      resolve(error.code !== "ECONNREFUSED" && error.code !== "ENOENT");
    });
  });
}
