/**
 * What a path may be used for under the policy of a thread.
 *
 * The policy is bound here and compared with the server's own by digest: where the two differ, as
 * on another machine, this machine does not know what holds there and says so.
 */
import path from "node:path";
import { ConfigError } from "../../config/index.ts";
import { bindIntent, ExecError } from "../../exec/index.ts";
import {
  type AbsolutePath,
  boundDigest,
  type Explanation,
  PolicyError,
  parseAbsolutePath,
  readCanonicalProfile,
  uriOfNative,
} from "../../policy/index.ts";
import { ownOnHost } from "../../sandbox/index.ts";
import type { CliWorld } from "../command.ts";
import { execHostOf } from "../exec/exec-host-of.ts";
import { explainKept } from "../policy/explain-kept.ts";
import type { ChatSettings } from "./chat-settings.ts";
import { ChatInputError } from "./commands/chat-command.ts";

export interface ExplainedThread {
  readonly settings: ChatSettings;
  readonly workspaceRoots: readonly string[];
  readonly world: CliWorld;
}

/** Explains one path. Throws where what holds cannot be known here. */
export async function explainInThread(
  text: string,
  { settings, workspaceRoots, world }: ExplainedThread,
): Promise<Explanation> {
  const { writ, cwd } = settings;
  const { bound, own } = await boundHere({ settings, workspaceRoots, world });
  if (bound === undefined || boundDigest(bound) !== writ.boundDigest) {
    throw new ChatInputError(
      `Cannot explain "${text}": the policy means something else where the thread runs, expected the same machine`,
    );
  }
  return explainKept(bound, placeOf(path.resolve(cwd, atHome(text, world))), ownOnHost(own));
}

/** A person means what a shell would make of it. */
function atHome(text: string, { home }: CliWorld): string {
  return text === "~" || text.startsWith("~/") ? home + text.slice(1) : text;
}

/** What is no path is a mistake in one line, and no end of the conversation. */
function placeOf(text: string): AbsolutePath {
  try {
    return parseAbsolutePath(text);
  } catch (error) {
    return asMistake(error);
  }
}

/** Such as settings that somebody has broken since. */
function asMistake(cause: unknown): never {
  if (!(cause instanceof PolicyError || cause instanceof ConfigError)) throw cause;
  throw new ChatInputError(cause.message, { cause });
}

async function boundHere({ settings, workspaceRoots, world }: ExplainedThread) {
  const { writ, cwd } = settings;
  const place = { flags: {}, world, reachable: false, secrets: [], settings: [] };
  const host = await execHostOf(place).catch(asMistake);
  // By which name a policy was chosen has been asked where it was chosen.
  const ceilings = host.bounds.ceilings.map(({ allowedProfiles: _, ...ceiling }) => ceiling);
  const context = {
    profile: readCanonicalProfile(writ.permissionProfile),
    cwd: uriOfNative(cwd),
    workspaceRoots: workspaceRoots.map(uriOfNative),
    settings: { windowsSandboxLevel: "disabled" as const },
  };
  try {
    const { bound } = bindIntent({ kind: "enforce", context }, parseAbsolutePath(cwd), {
      ...host,
      bounds: { ...host.bounds, ceilings, roots: "any" },
    });
    return { bound, own: host.own };
  } catch (error) {
    if (error instanceof ExecError) return { bound: undefined, own: host.own };
    throw error;
  }
}
