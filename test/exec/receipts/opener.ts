/** A thread that opens stores at the same moment as others do, and says what it was refused. */
import { parentPort, workerData } from "node:worker_threads";
import { openStoreFile } from "../../../src/exec/receipts/open-store-file.ts";
import { parseAbsolutePath } from "../../../src/policy/index.ts";

export interface Opening {
  readonly folder: string;
  readonly files: number;
  readonly openers: number;
  /** How often an opener has come to a file. */
  readonly arrived: SharedArrayBuffer;
}

const { folder, files, openers, arrived }: Opening = workerData;
const count = new Int32Array(arrived);
const tables = ["a", "b", "c"].map((name) => `CREATE TABLE ${name} (x ANY) STRICT;`).join("\n");

for (let file = 0; file < files; file += 1) {
  Atomics.add(count, 0, 1);
  while (Atomics.load(count, 0) < (file + 1) * openers);
  const kind = { file: `${file}.sqlite`, application: 77, version: 1, tables, holds: "rows" };
  try {
    openStoreFile(parseAbsolutePath(folder), kind, "write").close();
  } catch (error) {
    parentPort?.postMessage(String(error));
  }
}
