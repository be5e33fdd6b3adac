import { openStoreFile } from "../../exec/index.ts";
import type { AbsolutePath } from "../../policy/index.ts";
import { SqliteThreads } from "./sqlite-threads.ts";
import type { ThreadStore } from "./thread-store.ts";
import { asThreadStore } from "./thread-store-error.ts";
import { THREADS_FILE } from "./threads-file.ts";

/** Opens the threads in `folder`, which must be there; makes their file when it is missing. Throws `ThreadStoreError`. */
export function openThreadStore(folder: AbsolutePath): ThreadStore {
  const file = asThreadStore(() => openStoreFile(folder, THREADS_FILE, "write"));
  try {
    return new SqliteThreads(file);
  } catch (error) {
    file.close();
    throw error;
  }
}
