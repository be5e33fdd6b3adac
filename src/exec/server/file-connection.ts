import type { Peer } from "../../rpc/index.ts";
import { fileNotifications } from "../protocol/file-methods.ts";
import { FileWatches } from "./files/file-watches.ts";
import { OpenFiles } from "./files/open-files.ts";

/** What of files belongs to one connection and ends with it. */
export interface FileConnection {
  readonly openFiles: OpenFiles;
  readonly watches: FileWatches;
  close(): void;
}

/** Tells the other side when something that it waits for has changed. */
export function createFileConnection(peer: Pick<Peer, "notify">): FileConnection {
  const openFiles = new OpenFiles();
  const watches = new FileWatches((watchId) => {
    // Nobody is left to be told once the connection is over.
    void peer.notify(fileNotifications.missingChanged, { watchId }).catch(() => {});
  });
  return {
    openFiles,
    watches,
    close() {
      watches.closeAll();
      void openFiles.closeAll();
    },
  };
}
