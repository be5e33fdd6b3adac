import { spawnSync } from "node:child_process";
import type { AbsolutePath } from "../../policy/index.ts";
import { SESSION } from "../linux/launch-files.ts";

const LDD = "/usr/bin/ldd";
const TIMEOUT_MS = 5000;

let known: readonly AbsolutePath[] | undefined;

/** What makes the session of a terminal, with its loader and libraries; asked once. Nothing where that cannot be told. */
export function probeSessionFiles(): readonly AbsolutePath[] {
  known ??= filesIn(
    spawnSync(LDD, [SESSION[0]], { encoding: "utf8", env: {}, timeout: TIMEOUT_MS }).stdout ?? "",
  );
  return known;
}

/** Reads `name => /path (0x…)` and `/path (0x…)`. */
function filesIn(text: string): readonly AbsolutePath[] {
  const found = [...text.matchAll(/(?:^\s+|=> )(\/\S+) \(0x[0-9a-f]+\)$/gm)].map(
    ([, path]) => path,
  );
  return found.length === 0 ? [] : ([SESSION[0], ...found] as AbsolutePath[]);
}
