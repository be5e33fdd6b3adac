/** The commands of a thread: those that are waited for and those that go on. */

import type { NetworkGrant } from "../effective-network.ts";
import type { LiveWork } from "../lifecycle/live-work.ts";
import type { SandboxCalls } from "../lifecycle/sandbox-calls.ts";
import type { HeldSandbox, SandboxHolder } from "../lifecycle/sandbox-holder.ts";
import { NetworkLeases, type NetworkSupport } from "../network-leases.ts";
import type { ProvidedSandbox } from "../provider/provided-sandbox.ts";
import { Refusal, refuseAborted } from "../refusal.ts";
import type { SessionClock } from "../session-clock.ts";
import type { BackgroundProcess, BackgroundProcesses } from "./background-processes.ts";
import { commandEnvironment } from "./command-environment.ts";
import type { CommandResult } from "./command-result.ts";
import { begin, type CommandSpec, runCommand } from "./run-command.ts";
import { type ProcessCall, type StartedProcess, startProcess } from "./start-process.ts";

export interface CommandCall extends CommandSpec {
  /** The tool that runs it. */
  readonly by: string;
  readonly signal: AbortSignal;
  /** Domains that are open to it, and while it runs. */
  readonly network?: readonly NetworkGrant[] | undefined;
}

export interface BackgroundCall extends Omit<CommandSpec, "timeoutMs"> {
  readonly name: string;
  readonly by: string;
  readonly signal: AbortSignal;
}

export interface CommandParts {
  readonly calls: SandboxCalls;
  readonly holder: SandboxHolder;
  readonly background: BackgroundProcesses;
  readonly work: LiveWork;
  readonly clock: SessionClock;
  readonly network: NetworkSupport | undefined;
}

export class SandboxCommands {
  readonly #parts: CommandParts;
  readonly #leases = new WeakMap<ProvidedSandbox, NetworkLeases>();

  constructor(parts: CommandParts) {
    this.#parts = parts;
  }

  /** Runs a command in the thread's sandbox. What cannot be kept is refused before there is one. */
  async run(call: CommandCall): Promise<CommandResult> {
    this.#refuse(call);
    const { calls, clock, network } = this.#parts;
    const { by, signal, network: grants = [] } = call;
    return calls.call({ by, signal }, (held) => {
      const run = () => runCommand(held, call, { signal, clock });
      if (grants.length === 0 || network === undefined) return run();
      return this.#leased(held, { network, grants }, run);
    });
  }

  #refuse({ env = {}, timeoutMs, network: grants = [] }: CommandCall): void {
    commandEnvironment(env);
    if (timeoutMs !== undefined && !(Number.isSafeInteger(timeoutMs) && timeoutMs > 0)) {
      throw new Refusal(
        "invalidInput",
        `Cannot run the command: its time-out is ${timeoutMs}, expected a whole number of milliseconds from 1`,
      );
    }
    if (grants.length === 0 || this.#parts.network !== undefined) return;
    throw new Refusal(
      "unsupported",
      "Cannot open domains for the command: the provider has no rules for domains, expected one that has",
    );
  }

  /** Starts a command that goes on. Settles once it runs. */
  async startBackground(call: BackgroundCall): Promise<BackgroundProcess> {
    const { calls, background, clock } = this.#parts;
    const { name, by, signal } = call;
    commandEnvironment(call.env ?? {});
    const giveBack = background.reserve(name);
    try {
      return await calls.call({ by, signal }, async (held) => {
        const command = await begin(held, call);
        if (signal.aborted) await command.kill();
        refuseAborted(signal, `start "${name}"`);
        const { generation } = held;
        return background.add({ name, generation, command, startedAt: clock.now() });
      });
    } finally {
      giveBack();
    }
  }

  /** Starts a process that is work until it ends. It is begun once, in a sandbox that was just probed. */
  start(call: ProcessCall): Promise<StartedProcess> {
    return startProcess(call, this.#parts);
  }

  /** The command's error comes first. A network that cannot be closed again ends the sandbox. */
  async #leased(
    held: HeldSandbox,
    { network, grants }: { network: NetworkSupport; grants: readonly NetworkGrant[] },
    run: () => Promise<CommandResult>,
  ): Promise<CommandResult> {
    const giveBack = await this.#leasesOf(held.sandbox, network).lease(grants);
    const result = await run().catch(async (error: unknown) => {
      await giveBack().catch((fault: unknown) => this.#parts.holder.lose(held.generation, fault));
      throw error;
    });
    await giveBack().catch((fault: unknown) => {
      this.#parts.holder.lose(held.generation, fault);
      throw fault;
    });
    return result;
  }

  #leasesOf(sandbox: ProvidedSandbox, { base, portOf }: NetworkSupport): NetworkLeases {
    const known = this.#leases.get(sandbox);
    if (known !== undefined) return known;
    const leases = new NetworkLeases(base, portOf(sandbox));
    this.#leases.set(sandbox, leases);
    return leases;
  }
}
