import os from "node:os";
import path from "node:path";
import { type AbsolutePath, parseAbsolutePath } from "../../policy/index.ts";
import type { SeenPath } from "../../sandbox/index.ts";
import type { ExecHost } from "../exec-host.ts";
import { realPathIfKnown } from "./real-path-if-known.ts";

/** The places of a user, looked up once: commands that run later could turn what leads to them. */
export function probePlaces(env: ExecHost["env"]): Pick<ExecHost, "tmpdir" | "homes"> {
  return { tmpdir: tmpdirOf(env), homes: homesOf(env.HOME, homeOnRecord()) };
}

/** What `TMPDIR` names, and where that leads now. One that leads nowhere may not lead anywhere later. */
function tmpdirOf({ TMPDIR }: ExecHost["env"]): SeenPath | undefined {
  if (!TMPDIR) return undefined;
  const named = parseAbsolutePath(path.resolve(TMPDIR));
  return { path: named, real: realPathIfKnown(named) ?? named };
}

/** Both homes: a variable may be unset, empty or of somebody else. A relative one is none. */
export function homesOf(variable: string | undefined, recorded: string | undefined) {
  const homes = [variable, recorded].filter((home) => home !== undefined && path.isAbsolute(home));
  return [...new Set(homes)].map((home): AbsolutePath => parseAbsolutePath(home ?? ""));
}

/** By the user database, in which not every user of a container is. */
function homeOnRecord(): string | undefined {
  try {
    return os.userInfo().homedir;
  } catch {
    return undefined;
  }
}
