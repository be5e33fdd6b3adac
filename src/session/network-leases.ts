/**
 * Rules for domains that hold for as long as one command runs.
 *
 * What is in force is computed: the base and whatever is leased now. It is never
 * read back, since a provider shows less than it was given. A lease opens its own
 * domains and no other; what the base denies stays denied.
 */
import { effectiveNetwork, type NetworkGrant, type NetworkPolicy } from "./effective-network.ts";
import type { ProvidedSandbox } from "./provider/provided-sandbox.ts";
import { Refusal, refusalOf } from "./refusal.ts";

/** How one sandbox is told what is in force. */
export interface NetworkPort {
  apply(policy: NetworkPolicy): Promise<void>;
}

/** How a provider keeps rules for domains. */
export interface NetworkSupport {
  readonly base: NetworkPolicy;
  portOf(sandbox: ProvidedSandbox): NetworkPort;
}

export class NetworkLeases {
  readonly #base: NetworkPolicy;
  readonly #port: NetworkPort;
  readonly #active = new Set<readonly NetworkGrant[]>();
  #applied: string;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(base: NetworkPolicy, port: NetworkPort) {
    this.#base = base;
    this.#port = port;
    this.#applied = JSON.stringify(base);
  }

  /** Settles once the grants are in force; returns how to give them back. Throws, with nothing leased, where they cannot be. */
  async lease(grants: readonly NetworkGrant[]): Promise<() => Promise<void>> {
    const wanted = grants.filter(isGrant);
    if (wanted.length === 0) return async () => {};
    const mine = [...wanted];
    await this.#inTurn(async () => {
      refuseConflict(mine, [...this.#active].flat());
      this.#active.add(mine);
      try {
        await this.#apply();
      } catch (error) {
        this.#active.delete(mine);
        throw refusalOf(error, "open the network for the command");
      }
    });
    return () => this.#giveBack(mine);
  }

  #giveBack(mine: readonly NetworkGrant[]): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#active.delete(mine)) return;
      try {
        await this.#apply();
      } catch (error) {
        throw refusalOf(error, "close the network after the command");
      }
    });
  }

  async #apply(): Promise<void> {
    const policy = effectiveNetwork(this.#base, [...this.#active].flat());
    const text = JSON.stringify(policy);
    if (text === this.#applied) return;
    // Half a change may have been made: whatever comes next is sent.
    this.#applied = "";
    await this.#port.apply(policy);
    this.#applied = text;
  }

  /** One change at a time, so that the last one sent is the one that counts. */
  #inTurn(change: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(change);
    this.#queue = done.catch(() => {});
    return done;
  }
}

function isGrant({ domain, headers }: NetworkGrant): boolean {
  return domain.trim() !== "" && Object.keys(headers).length > 0;
}

/** Two commands cannot have different values of one header for one domain at the same time. */
function refuseConflict(wanted: readonly NetworkGrant[], active: readonly NetworkGrant[]): void {
  for (const { domain, headers } of wanted) {
    for (const other of active.filter((one) => one.domain === domain)) {
      const name = Object.keys(headers).find(
        (key) => key in other.headers && other.headers[key] !== headers[key],
      );
      if (name === undefined) continue;
      throw new Refusal(
        "exists",
        `Cannot lease "${domain}": another command has its own "${name}" for it, expected that one to end first`,
      );
    }
  }
}
