/**
 * The way to the service: the only file that calls its SDK to make and find VMs.
 *
 * Of what it gives only the `Session` is used, which stands for one run of one VM.
 * Its `Sandbox` would start a VM that is over again and repeat the operation there.
 */
import type { Session } from "@vercel/sandbox";
import { CommandAnswers } from "./command-answers.ts";
import { type Firewall, policyOf } from "./firewall.ts";
import { loadSdk } from "./load-sdk.ts";
import { sentOnce } from "./sent-once.ts";
import type { VercelAccount } from "./vercel-account.ts";

interface VmSettings {
  readonly account: VercelAccount;
  readonly fetch: typeof globalThis.fetch;
  readonly lifetimeMs: number;
  /** The service's own where it is undefined. */
  readonly image: string | undefined;
}

export interface Vm {
  readonly name: string;
  readonly session: Session;
  readonly tags: Readonly<Record<string, string>> | undefined;
}

/** A VM in a list. */
export interface ListedVm extends Omit<Vm, "session"> {
  readonly sessionId: string;
  readonly status: Session["status"];
  readonly createdAt: number;
}

/** What every name of a VM begins with. */
export const NAME_PREFIX = "writ-";

export class VmLink {
  readonly answers = new CommandAnswers();
  readonly #settings: VmSettings;
  readonly #reach: VercelAccount & Pick<VmSettings, "fetch">;

  constructor(settings: VmSettings) {
    this.#settings = settings;
    this.#reach = { ...settings.account, fetch: this.answers.over(sentOnce(settings.fetch)) };
  }

  /** What keeps the policy, for receipts. */
  async backend(): Promise<string> {
    return `Vercel Sandbox (@vercel/sandbox ${(await loadSdk()).version})`;
  }

  async create(name: string, tags: Record<string, string>, firewall: Firewall): Promise<Vm> {
    const { sdk } = await loadSdk();
    const { lifetimeMs, image } = this.#settings;
    const sandbox = await sdk.Sandbox.create({
      ...this.#reach,
      ...{ name, tags, timeout: lifetimeMs, networkPolicy: policyOf(firewall) },
      // What is over stays over: nothing of it is kept to be started again.
      persistent: false,
      ...(image !== undefined && { image }),
    });
    return { name, session: sandbox.currentSession(), tags: sandbox.tags };
  }

  /** As it is now; nothing is started by looking. */
  async find(name: string, signal?: AbortSignal): Promise<Vm> {
    const { sdk } = await loadSdk();
    const more = signal && { signal };
    const sandbox = await sdk.Sandbox.get({ ...this.#reach, name, resume: false, ...more });
    return { name, session: sandbox.currentSession(), tags: sandbox.tags };
  }

  async list(): Promise<ListedVm[]> {
    const { sdk } = await loadSdk();
    const some = { namePrefix: NAME_PREFIX, sortBy: "name" } as const;
    const listed = await sdk.Sandbox.list({ ...this.#reach, ...some });
    const vms: ListedVm[] = [];
    for await (const { name, tags, status, createdAt, currentSessionId: sessionId } of listed) {
      vms.push({ name, tags, status, createdAt, sessionId });
    }
    return vms;
  }
}
