/** Records of a test's own that lie beside those of the users of this host, who see there what is still needed. */
import { createHash } from "node:crypto";
import { type AbsolutePath, parseAbsolutePath } from "../../src/policy/index.ts";

/** The same for the same folder; whoever uses it removes it, with what is called after it. */
export function recordsFor(base: string): AbsolutePath {
  const number = createHash("sha256").update(base).digest().readUIntBE(0, 6);
  return parseAbsolutePath(`/var/tmp/writ-9${number}`);
}
