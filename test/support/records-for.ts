/** Records of a test's own that lie beside those of the users of this host, who see there what is still needed. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { type AbsolutePath, parseAbsolutePath } from "../../src/policy/index.ts";
import { endSurvivors } from "../../src/sandbox/placeholders/end-survivors.ts";
import { HeldRecord, isGone } from "../../src/sandbox/placeholders/held-record.ts";

const FOLDER = "/var/tmp";

/** The same for the same folder. */
export function recordsFor(base: string): AbsolutePath {
  const number = createHash("sha256").update(base).digest().readUIntBE(0, 6);
  return parseAbsolutePath(`${FOLDER}/writ-9${String(number).padStart(15, "0")}`);
}

/** Removes them; what was made and another still needs stays on record for {@link sweepRecords}. */
export function removeRecords(records: AbsolutePath): void {
  try {
    endSurvivors(records);
    new HeldRecord(records).change((record) => record.letGo((user) => isGone(user)));
    rmdirSync(records);
  } catch {
    // Nothing was ever on record, or something still is.
  }
  if (!existsSync(records)) rmSync(`${records}-anchors`, { recursive: true, force: true });
}

/** Removes what tests that are over have left on record. */
export function sweepRecords(): void {
  const names = readdirSync(FOLDER).filter((name) => /^writ-9\d{15}$/.test(name));
  for (const name of names) removeRecords(parseAbsolutePath(`${FOLDER}/${name}`));
}
