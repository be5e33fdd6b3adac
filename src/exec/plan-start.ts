/**
 * Decides how a request starts on this host.
 *
 * Every command of the system comes through here, whether a local tool, an MCP
 * call or another machine asked for it. It is therefore the one place where
 * "cannot sandbox" has to become "does not run".
 */
import fs from "node:fs";
import { describeEntry } from "../policy/index.ts";
import { checkOverlays, type LaunchPlan, planOnHost, SandboxError } from "../sandbox/index.ts";
import { layerVariables } from "./anchors/anchor-layer.ts";
import type { AnchorPlace } from "./anchors/anchor-place.ts";
import { bindInAnchor, ownInAnchor } from "./anchors/bind-in-anchor.ts";
import { unknownAnchor } from "./anchors/unknown-anchor.ts";
import { childEnvironment } from "./child-environment.ts";
import { ExecError } from "./exec-error.ts";
import type { ExecHost } from "./exec-host.ts";
import { type BoundIntent, bindIntent, pathOf } from "./intent/bind-intent.ts";
import type { StartRequest } from "./start-request.ts";

export interface PlannedStart extends BoundIntent {
  readonly plan: LaunchPlan;
  /** What of the intent is kept in another way than it was asked for, in sentences for the receipt. */
  readonly notes: readonly string[];
  /** Where the command looks for programs. */
  readonly searchPath: string | undefined;
}

/**
 * Plans a request for this host, in the anchor that it names if it names one. Throws {@link ExecError}
 * rather than run it under other rules.
 */
export async function planStart(
  request: StartRequest,
  host: ExecHost,
  anchor?: AnchorPlace,
): Promise<PlannedStart> {
  refuseNoAnchor(request, anchor);
  const cwd = pathOf(request.cwd, "cwd", host);
  const intent =
    anchor === undefined
      ? bindIntent(request.sandbox, cwd, host)
      : bindInAnchor({ intent: request.sandbox, cwd }, anchor, host);
  const command = commandOf(request);
  refuseMissingFolder(cwd);
  // Last: what is the anchor's own is not for a request to say.
  const env = withPlace(childEnvironment(request, host.env), anchor);
  const terminal = request.terminal === null ? "none" : "pty";
  try {
    const { bound: profile, seen, within } = intent;
    const joins = anchor && { joins: anchor.network };
    const own = anchor ? ownInAnchor(host, anchor) : host.own;
    const bounds = { seen, ...(within && { within }) };
    const overlays = host.overlays && { overlays: host.overlays };
    // The built sandbox is looked at again; by then its placeholders would lie in the wrong folder.
    checkOverlays(host.overlays ?? []);
    const plan = await planOnHost(
      { command, cwd, env, profile, terminal, ...bounds, ...joins, ...overlays },
      own,
    );
    return { ...intent, plan, notes: notesOn(request, host), searchPath: env.PATH };
  } catch (cause) {
    if (!(cause instanceof SandboxError)) throw cause;
    throw new ExecError("unenforceable", cause.message, { cause, field: fieldOf(cause) });
  }
}

/** What a request calls it. */
function fieldOf({ member }: SandboxError): string {
  return member === "command" ? "argv" : (member ?? "sandbox");
}

function refuseNoAnchor({ anchor }: StartRequest, place: AnchorPlace | undefined): void {
  if (anchor === null || place !== undefined) return;
  throw unknownAnchor(anchor);
}

type Variables = Readonly<Record<string, string>>;

function withPlace(env: Variables, anchor: AnchorPlace | undefined): Variables {
  if (anchor === undefined) return env;
  const { home, tmp, shelf, layer } = anchor;
  const own = { HOME: home, TMPDIR: tmp, WRIT_SHELF: shelf };
  return { ...env, ...own, ...(layer && layerVariables(layer, env.PATH)) };
}

const BASH = "/bin/bash";

/**
 * A shell that can name a program otherwise is what every host has; one without it refuses.
 * It reads no file of its own first: with a socket for its input it would take `~/.bashrc`, and `BASH_ENV` by itself.
 */
function commandOf({ argv, arg0 }: StartRequest): readonly [string, ...string[]] {
  const [program, ...args] = argv;
  if (program === undefined) {
    throw new ExecError("invalidRequest", "argv must not be empty", { field: "argv" });
  }
  if (program === "") {
    throw new ExecError("spawnFailed", 'Cannot start "": it is empty, expected a program', {
      field: "argv",
    });
  }
  if (arg0 === null) return [program, ...args];
  if (!fs.existsSync(BASH)) {
    throw new ExecError(
      "unenforceable",
      `Cannot start "${program}" as "${arg0}": there is no ${BASH} on this host`,
      { field: "arg0" },
    );
  }
  const script = 'name=$1; shift; exec -a "$name" -- "$@"';
  return [BASH, "--norc", "-p", "-c", script, "sh", arg0, program, ...args];
}

function refuseMissingFolder(cwd: string): void {
  const what = faultOf(cwd);
  if (what === undefined) return;
  throw new ExecError("spawnFailed", `Cannot start in "${cwd}": ${what}`, { field: "cwd" });
}

/** The way there may be closed to this user, lead in a circle, or have a name that no folder can have. */
function faultOf(cwd: string): string | undefined {
  try {
    const found = fs.statSync(cwd, { throwIfNoEntry: false });
    if (found?.isDirectory()) return undefined;
    return found === undefined ? "there is no such folder" : "it is not a folder";
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    return `${why}, expected a folder that this user can enter`;
  }
}

function notesOn({ sandbox }: StartRequest, { overlays = [] }: ExecHost): string[] {
  if (sandbox.kind === "waived") return [];
  const { useLegacyLandlock, sandboxOverride = "noOverride" } = sandbox.context.settings;
  const { opened = [] } = sandbox;
  return [
    ...overlays.map(({ path }) => `what it writes in "${path}" stays in its session`),
    ...(opened.length > 0
      ? [`beside the policy these are open to it: ${opened.map(describeEntry).join(", ")}`]
      : []),
    ...(useLegacyLandlock
      ? ["useLegacyLandlock was asked for: the stronger back-end is used instead"]
      : []),
    ...(sandboxOverride === "noOverride"
      ? []
      : [`sandboxOverride "${sandboxOverride}" was sent: the sandbox is enforced all the same`]),
  ];
}
