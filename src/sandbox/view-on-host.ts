/** How files of this host look from inside the sandbox of a policy, without building one. */
import { type AbsolutePath, type BoundProfile, compileAccess } from "../policy/index.ts";
import { findDenied, realFileFacts } from "./files/file-facts.ts";
import type { LaunchRequest } from "./launch-plan.ts";
import { deniedBehindLinks } from "./linux/mounts/patterns-at.ts";
import { planMounts } from "./linux/plan-mounts.ts";
import { type Sight, sightsOf } from "./linux/sight.ts";
import { unseenPaths } from "./linux/unseen-paths.ts";
import { ownOnHost } from "./own-on-host.ts";
import type { OwnPaths } from "./rules/own-paths.ts";
import { refuseUnconfined, refuseWider } from "./rules/real-widening.ts";
import { refuseTurned } from "./rules/refuse-turned.ts";
import { SandboxError } from "./sandbox-error.ts";

/** What whoever works in place of a command may see. It is about now; what changes later asks again. */
export interface FileView {
  /** False where the policy has no sandbox: then everything is open, as far as the user goes. */
  readonly confines: boolean;
  /** What is at a real path; one with a link in it gets the answer of another place. */
  sightOf(path: AbsolutePath): Sight;
  /** Whether a pattern denies the path, by any of the names that lead to it. */
  isDenied(path: AbsolutePath): boolean;
  /** Whether nothing was there that a rule could close: what is there by now is not open. */
  wasMissing(path: AbsolutePath): boolean;
}

const OPEN: Sight = { kind: "open", access: "write", fixed: false };
const EVERYTHING: FileView = {
  confines: false,
  sightOf: () => OPEN,
  isDenied: () => false,
  wasMissing: () => false,
};

/** The view of a profile. Throws {@link SandboxError} where no sandbox could be built for it either. */
export async function viewOnHost(
  profile: BoundProfile,
  own: OwnPaths,
  { seen = [], within }: Pick<LaunchRequest, "seen" | "within"> = {},
): Promise<FileView> {
  if (profile.enforcement !== "managed") {
    refuseUnconfined(profile, within);
    return EVERYTHING;
  }
  if (process.platform !== "linux") {
    throw new SandboxError(
      "unsupportedHost",
      `Cannot work on files under a policy: there is no view of them for ${process.platform}`,
    );
  }
  const globs = profile.files.type === "restricted" ? profile.files.globs : [];
  const found = await findDenied(globs);
  const files = realFileFacts(found);
  refuseTurned(seen, files);
  refuseWider(profile, within, { files, own });
  const uid = process.getuid?.() ?? 0;
  const unseen = unseenPaths({ profile, uid, files });
  const given = { files, own: ownOnHost(own, files), unseen };
  const { mounts, absent, unmade } = planMounts(profile, given);
  const missing = new Set([...absent, ...unmade]);
  const patterns = compileAccess(profile).globs;
  const isBehindLink = deniedBehindLinks(globs, found, files);
  return {
    confines: true,
    sightOf: sightsOf(mounts),
    isDenied: (path) =>
      patterns?.match(path.slice(1).split("/")) !== undefined || isBehindLink(path),
    wasMissing: (path) => missing.has(path),
  };
}
