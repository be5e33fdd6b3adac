/** A user of the host, as a process: holds the same placeholders many times, and prints how many were lost meanwhile. */
import fs from "node:fs";
import path from "node:path";
import { parseAbsolutePath } from "../../../../src/policy/index.ts";
import { holdPlaceholders } from "../../../../src/sandbox/placeholders/hold-placeholders.ts";

const [records = "", folder = "", times = "0"] = process.argv.slice(2);
const placeholders = [".a", ".b", ".c", ".d"].map((name) => ({
  path: parseAbsolutePath(path.join(folder, name)),
  kind: "folder" as const,
}));

const seen = () =>
  placeholders.map((one) => {
    const found = fs.lstatSync(one.path, { throwIfNoEntry: false, bigint: true });
    return found === undefined ? "missing" : `${found.ino}:${found.birthtimeNs}`;
  });

let lost = 0;
for (let time = 0; time < Number(times); time += 1) {
  const held = holdPlaceholders(placeholders, parseAbsolutePath(records));
  const before = seen();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * 2);
  const after = seen();
  if (before.includes("missing") || after.join() !== before.join()) lost += 1;
  held.release();
}
process.stdout.write(String(lost));
