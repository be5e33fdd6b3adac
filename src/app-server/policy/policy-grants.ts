/**
 * Puts grants on policies of turns, under the bounds of this host.
 *
 * The ceiling is read again each time. A place that leads elsewhere, or is not
 * there, is refused: whoever agreed to it saw only its name, and somebody else
 * may put a link there. So is what no sandbox could open: nobody is asked for it.
 */
import { existsSync } from "node:fs";
import type { GrantRequest } from "../../agent/index.ts";
import { bindIntent, type ExecHost, realPathIfKnown, type StartRequest } from "../../exec/index.ts";
import {
  type BoundProfile,
  commonGrant,
  type GrantedPath,
  type GrantedProfile,
  grantTo,
  hostPathOfUri,
  type PermissionProfile,
  PolicyError,
  parseAbsolutePath,
  uriOfNative,
} from "../../policy/index.ts";
import type { ConfigOverrides, LoadConfig } from "./app-config.ts";
import { contextOf } from "./apply-policy.ts";
import { bindElsewhere } from "./bind-elsewhere.ts";
import type { PolicyPlace } from "./policy-place.ts";

export interface PolicyGrantsOptions {
  readonly load: LoadConfig;
  readonly host: ExecHost;
  /** Throws a sentence where no command can be started so. */
  readonly plan: (request: StartRequest, host: ExecHost) => Promise<unknown>;
}

/** The thread that a grant is for. */
export interface GrantingThread {
  /** Where it is on this machine, wherever it works. */
  readonly place: PolicyPlace;
  readonly overrides: ConfigOverrides;
}

const LOCAL = "local";

export class PolicyGrants {
  readonly #options: PolicyGrantsOptions;

  constructor(options: PolicyGrantsOptions) {
    this.#options = options;
  }

  /** The policy of a turn with a grant. Throws a sentence where it cannot be had here. */
  async grant(
    { frame, asked, given }: GrantRequest,
    thread: GrantingThread,
  ): Promise<GrantedProfile> {
    const isHere = frame.environment === LOCAL;
    // What the thread was moved to meanwhile is for the next turn.
    const place = isHere ? placeOf(frame) : thread.place;
    const { ceilings } = await this.#options.load(place.cwd, thread.overrides);
    const bind = (profile: PermissionProfile) => {
      const here = this.#bindHere(profile, place);
      return isHere ? here : bindElsewhere(profile, placeOf(frame));
    };
    const result = grantTo(frame.profile, { asked, given }, { bind, system: "linux", ceilings });
    if (!isHere) return result;
    for (const one of result.granted.files) refuseUnseen(one);
    // What is open by its name may lead to what is not.
    if (result.kept.length === 0) commonGrant(asked, given).files.forEach(refuseTurned);
    await this.#options.plan(anyStart(result.profile, place), this.#options.host);
    return result;
  }

  /** Reads the ceilings of now, which what is let out of its sandbox is held against. Rejects where it cannot. */
  async renew({ place, overrides }: GrantingThread): Promise<void> {
    await this.#options.load(place.cwd, overrides);
  }

  /** With what this host refuses whatever a policy says, also for a thread that works elsewhere. */
  #bindHere(profile: PermissionProfile, place: PolicyPlace): BoundProfile {
    const intent = { kind: "enforce", context: contextOf(profile, place) } as const;
    return bindIntent(intent, parseAbsolutePath(place.cwd), this.#options.host).bound;
  }
}

/** What holds for it holds for every command of the turn. */
function anyStart(profile: PermissionProfile, place: PolicyPlace): StartRequest {
  return {
    ...{ processId: "any", argv: ["/bin/true"], arg0: null, cwd: uriOfNative(place.cwd) },
    ...{ anchor: null, ids: {} },
    ...{ envPolicy: null, env: {}, terminal: null, pipeStdin: false },
    sandbox: { kind: "enforce", context: contextOf(profile, place) },
  };
}

function placeOf({ cwd, workspaceRoots }: GrantRequest["frame"]): PolicyPlace {
  return {
    cwd: hostPathOfUri(cwd, "linux"),
    workspaceRoots: workspaceRoots.map((root) => hostPathOfUri(root, "linux")),
  };
}

function refuseUnseen(granted: GrantedPath): void {
  refuseTurned(granted);
  const named = hostPathOfUri(granted.path, "linux");
  if (!existsSync(named))
    throw ungrantable(named, "there is nothing", "a file or a folder that is there");
}

function refuseTurned({ path }: GrantedPath): void {
  const named = hostPathOfUri(path, "linux");
  const real = realPathIfKnown(named);
  if (real === named) return;
  const where = real === undefined ? "nowhere" : `to "${real}"`;
  throw ungrantable(named, `it leads ${where}`, "a path without links");
}

function ungrantable(named: string, found: string, expected: string): PolicyError {
  return new PolicyError("invalidPath", `Cannot grant "${named}": ${found}, expected ${expected}`);
}
