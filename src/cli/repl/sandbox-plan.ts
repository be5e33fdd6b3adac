/**
 * What the sandbox options of a REPL mean together.
 *
 * They are applied in the order they stand. A mode begins anew; what stood before
 * it is still checked, so that an option that could not be meant is not passed
 * over. What would switch a sandbox off behind the mode's back is refused.
 */
import path from "node:path";
import { SANDBOX_MODES, type SandboxMode } from "../../policy/index.ts";
import { UsageError } from "../command.ts";

/** One option with its value, in its place. */
export interface SandboxOperation {
  readonly name: "sandbox" | "add-writable-root" | "add-allowed-domain" | "config";
  readonly value: string;
}

/** mcp-repl's spellings, and ours. */
const NAMES: Readonly<Record<string, SandboxOperation["name"]>> = {
  sandbox: "sandbox",
  "add-writable-root": "add-writable-root",
  "add-writeable-root": "add-writable-root",
  "add-allowed-domain": "add-allowed-domain",
  config: "config",
};

/** The options about the sandbox, of all that were given. */
export function sandboxOperations(
  order: readonly { readonly name: string; readonly value: string }[],
): SandboxOperation[] {
  return order.flatMap(({ name, value }) => {
    const known = NAMES[name];
    return known === undefined ? [] : [{ name: known, value }];
  });
}

export type SandboxPlan =
  | {
      readonly kind: "inherit";
      readonly writableRoots: readonly string[];
      readonly network: "asSent" | "off";
    }
  | {
      readonly kind: "explicit";
      readonly mode: SandboxMode;
      readonly writableRoots: readonly string[];
      readonly networkAccess: boolean;
      readonly excludeTmpdirEnvVar: boolean;
      readonly excludeSlashTmp: boolean;
    };

/** What holds where no option says otherwise. */
const BEGIN = explicit("workspace-write");

/** Applies the operations one after another. Throws on one that cannot be meant. */
export function sandboxPlan(operations: readonly SandboxOperation[]): SandboxPlan {
  return operations.reduce(apply, BEGIN);
}

function apply(plan: SandboxPlan, { name, value }: SandboxOperation): SandboxPlan {
  switch (name) {
    case "sandbox":
      return modeOf(value, "--sandbox");
    case "add-writable-root":
      return withRoots(plan, [value], "--add-writable-root");
    case "add-allowed-domain":
      throw noProxy("--add-allowed-domain");
    case "config":
      return configured(plan, value);
  }
}

function modeOf(text: string, option: string): SandboxPlan {
  if (text === "inherit" || text === "inherit-codex") {
    return { kind: "inherit", writableRoots: [], network: "asSent" };
  }
  const mode = SANDBOX_MODES.find((one) => one === text);
  if (mode !== undefined) return explicit(mode);
  const expected = ["inherit", ...SANDBOX_MODES].join(", ");
  throw new UsageError(`Cannot use ${option} "${text}": expected ${expected}`);
}

function explicit(mode: SandboxMode): SandboxPlan & { kind: "explicit" } {
  return {
    kind: "explicit",
    mode,
    writableRoots: [],
    networkAccess: false,
    excludeTmpdirEnvVar: false,
    excludeSlashTmp: false,
  };
}

function withRoots(plan: SandboxPlan, roots: readonly string[], option: string): SandboxPlan {
  refuseOutside(plan, option);
  for (const root of roots) {
    if (path.isAbsolute(root)) continue;
    throw new UsageError(
      `Cannot use ${option} "${root}": it is relative, expected an absolute path`,
    );
  }
  return { ...plan, writableRoots: [...plan.writableRoots, ...roots] };
}

/** Only where some folders can be written and others cannot does more of them mean anything. */
function refuseOutside(plan: SandboxPlan, option: string): void {
  if (plan.kind === "inherit" || plan.mode === "workspace-write") return;
  throw new UsageError(
    `Cannot use ${option} with ${plan.mode}: expected workspace-write or inherit`,
  );
}

function configured(plan: SandboxPlan, text: string): SandboxPlan {
  const at = text.indexOf("=");
  if (at === -1) throw new UsageError(`Cannot use --config "${text}": expected KEY=VALUE`);
  const [key, value] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  const option = `--config ${key}`;
  switch (key) {
    case "sandbox_mode":
      return modeOf(unquoted(value), option);
    case "sandbox_workspace_write.network_access":
      return withNetwork(plan, booleanIn(value, option), option);
    case "sandbox_workspace_write.exclude_tmpdir_env_var":
      return { ...onlyExplicit(plan, option), excludeTmpdirEnvVar: booleanIn(value, option) };
    case "sandbox_workspace_write.exclude_slash_tmp":
      return { ...onlyExplicit(plan, option), excludeSlashTmp: booleanIn(value, option) };
    case "sandbox_workspace_write.writable_roots":
      return withRoots({ ...plan, writableRoots: [] }, rootsIn(value, option), option);
    case "features.use_linux_sandbox_bwrap":
    case "use_linux_sandbox_bwrap":
      return withBubblewrap(plan, booleanIn(value, option), option);
    case "permissions.network.allowed_domains":
    case "permissions.network.denied_domains":
    case "permissions.network.allow_local_binding":
      throw noProxy(option);
    default:
      throw new UsageError(`Cannot use --config "${key}": there is no such key`);
  }
}

function withNetwork(plan: SandboxPlan, access: boolean, option: string): SandboxPlan {
  refuseOutside(plan, option);
  if (plan.kind === "explicit") return { ...plan, networkAccess: access };
  if (!access) return { ...plan, network: "off" };
  throw new UsageError(
    `Cannot use ${option}=true with inherit: the network is what each call says`,
  );
}

function onlyExplicit(plan: SandboxPlan, option: string): SandboxPlan & { kind: "explicit" } {
  refuseOutside(plan, option);
  if (plan.kind === "explicit") return plan;
  throw new UsageError(
    `Cannot use ${option} with inherit: temporary folders are what each call says`,
  );
}

function withBubblewrap(plan: SandboxPlan, on: boolean, option: string): SandboxPlan {
  if (on) return plan;
  throw new UsageError(
    `Cannot use ${option}=false: it would take the sandbox away; say --sandbox danger-full-access where that is meant`,
  );
}

function noProxy(option: string): UsageError {
  return new UsageError(
    `Cannot use ${option}: rules for domains need a proxy, which is not there yet`,
  );
}

function booleanIn(value: string, option: string): boolean {
  if (value === "true" || value === "false") return value === "true";
  throw new UsageError(`Cannot use ${option}=${value}: expected true or false`);
}

function rootsIn(value: string, option: string): string[] {
  try {
    const roots: unknown = JSON.parse(value);
    if (Array.isArray(roots) && roots.every((root) => typeof root === "string")) return roots;
  } catch {
    // Said below.
  }
  throw new UsageError(`Cannot use ${option}=${value}: expected a JSON array of paths`);
}

function unquoted(value: string): string {
  return /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
}
