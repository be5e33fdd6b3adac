/**
 * Sandboxes that are VMs of Vercel.
 *
 * Each is made for one thread under one policy and says both in its tags, so that
 * a later process finds it. The SDK is loaded by the first call that needs it.
 */
import { randomUUID } from "node:crypto";
import type { ReceiptKeeper } from "../../../exec/index.ts";
import { type PathUri, uriOfNative } from "../../../policy/index.ts";
import { Refusal, refuseAborted } from "../../refusal.ts";
import type { SessionError } from "../../session-error.ts";
import { type Attempt, attemptError, whatOf } from "../attempt.ts";
import type { CreateRequest, SandboxProvider, SandboxSummary } from "../sandbox-provider.ts";
import { untilAborted } from "../until-aborted.ts";
import { planVm } from "./plan-vm.ts";
import { attemptingVm, toVmError } from "./to-vm-error.ts";
import type { VercelAccount } from "./vercel-account.ts";
import { VercelSandbox } from "./vercel-sandbox.ts";
import { readLabel, readVmId, type VmLabel, writeLabel, writeVmId } from "./vm-label.ts";
import { isOver } from "./vm-life.ts";
import { type ListedVm, NAME_PREFIX, type Vm, VmLink } from "./vm-link.ts";

export interface VercelProviderOptions {
  readonly account: VercelAccount;
  /** Where it is put on record what ran, before it runs. */
  readonly receipts: ReceiptKeeper;
  /** How long a VM lasts unless it is extended; half an hour where it is left out. */
  readonly lifetimeMs?: number;
  /** What a VM starts from; the service's own where it is left out. */
  readonly image?: string;
  /** How requests are sent; the platform's own where it is left out. */
  readonly fetch?: typeof globalThis.fetch;
}

const LIFETIME_MS = 30 * 60_000;

/** A provider of VMs on somebody's account. */
export function createVercelProvider(options: VercelProviderOptions): SandboxProvider {
  const { account, receipts, lifetimeMs = LIFETIME_MS, image, fetch } = options;
  refuseAccount(account);
  refuseLifetime(lifetimeMs);
  const send = fetch ?? ((...request) => globalThis.fetch(...request));
  const link = new VmLink({ account, fetch: send, lifetimeMs, image });
  const sandboxOf = async (vm: Vm, label: VmLabel, workspace: PathUri) =>
    new VercelSandbox({ vm, label, link, receipts, backend: await link.backend() }, workspace);

  return {
    name: "vercel",
    keepsWorkspace: false,
    async create(request) {
      const name = `${NAME_PREFIX}${randomUUID()}`;
      const attempt: Attempt = { verb: "make", thing: name, work: "look" };
      refuseAborted(request.signal, whatOf(attempt));
      refuseSnapshot(request);
      const plan = planVm(request.intent, request.workspace);
      const label = { thread: request.thread, boundDigest: plan.boundDigest };
      const tags = writeLabel(label);
      const vm = await making(attempt, link, () => link.create(name, tags, plan.firewall));
      const sandbox = await sandboxOf(vm, label, request.workspace);
      try {
        refuseAborted(request.signal, whatOf(attempt));
        refuseOther(vm, request, attempt);
        return sandbox;
      } catch (error) {
        // It ends by itself where it cannot be reached.
        await sandbox.stop().catch(() => {});
        throw error;
      }
    },
    async get(id, { thread, signal }) {
      const attempt: Attempt = { verb: "find", thing: id, work: "look" };
      const named = readVmId(id);
      refuseAborted(signal, whatOf(attempt));
      if (named === undefined) throw missing(attempt);
      const vm = await attemptingVm(attempt, () =>
        untilAborted(signal, attempt, () => link.find(named.name, signal)),
      );
      if (vm.session.sessionId !== named.sessionId) throw missing(attempt);
      const label = readLabel(vm.tags);
      if (label?.thread === thread) return sandboxOf(vm, label, uriOfNative(vm.session.cwd));
      const what = "it is of another thread, expected the one that made it";
      throw attemptError(["forbidden", what], attempt);
    },
    async list() {
      const attempt: Attempt = { verb: "list", thing: NAME_PREFIX, work: "look" };
      return (await attemptingVm(attempt, () => link.list())).flatMap(summaryOf);
    },
  };
}

/** Where no answer came, there may be one all the same: its name is known, so it is ended. */
async function making(attempt: Attempt, link: VmLink, make: () => Promise<Vm>): Promise<Vm> {
  try {
    return await make();
  } catch (cause) {
    const error = toVmError(cause, attempt);
    if (error.code === "unsupported") throw error;
    await link.find(attempt.thing).then(
      ({ session }) => session.stop(),
      () => {},
    );
    if (error.code !== "missing") throw error;
    const what = "the service knows no such project, expected one of this team";
    throw attemptError(["unavailable", what], attempt, cause);
  }
}

function refuseOther({ session }: Vm, { workspace }: CreateRequest, attempt: Attempt): void {
  const own = uriOfNative(session.cwd);
  if (own === workspace) return;
  const what = `the workspace is ${workspace}, expected ${own}, which is that of the VM`;
  throw attemptError(["invalidInput", what], attempt);
}

function summaryOf(vm: ListedVm): SandboxSummary[] {
  const label = readLabel(vm.tags);
  if (label === undefined) return [];
  const { thread } = label;
  const status = isOver(vm.status) ? "stopped" : "running";
  return [{ id: writeVmId(vm), thread, status, createdAt: vm.createdAt }];
}

function missing(attempt: Attempt): SessionError {
  return attemptError(["missing", "there is none, expected one made by this provider"], attempt);
}

function refuseAccount(account: VercelAccount): void {
  for (const name of ["token", "teamId", "projectId"] as const) {
    if (typeof account[name] === "string" && account[name].trim() !== "") continue;
    const what = `"${name}" is empty, expected a token, a team and a project`;
    throw new Refusal("invalidInput", `Cannot make a provider of VMs: ${what}`);
  }
}

/** Never dropped: a thread that asked for dependencies would run without them. */
function refuseSnapshot({ snapshot }: CreateRequest): void {
  if (snapshot === undefined) return;
  const what = "VMs of Vercel start from an image, expected no snapshot";
  throw new Refusal("unsupported", `Cannot start from the snapshot "${snapshot}": ${what}`);
}

function refuseLifetime(ms: number): void {
  if (Number.isSafeInteger(ms) && ms > 0) return;
  const what = `its VMs would last ${ms} ms, expected a whole number from 1 on`;
  throw new Refusal("invalidInput", `Cannot make a provider of VMs: ${what}`);
}
