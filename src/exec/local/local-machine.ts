import { type AbsolutePath, type Ceiling, parseAbsolutePath } from "../../policy/index.ts";
import { recordsFolder } from "../../sandbox/index.ts";
import type { ExecHost } from "../exec-host.ts";
import type { Executor } from "../executor.ts";
import { probePlaces } from "../intent/probe-places.ts";
import { makeHome } from "../make-home.ts";
import { ownPathsOf } from "../own-paths.ts";
import { openReceiptStore } from "../receipts/receipt-store.ts";
import { createLocalExecutor } from "./local-executor.ts";

/** This machine, as a program that runs on it uses it. */
export interface LocalMachine {
  readonly host: ExecHost;
  readonly executor: Executor;
}

export interface LocalMachineOptions {
  /** Where writ keeps receipts and settings, absolute; commands never see into it. */
  readonly home: string;
  /** What the operator allows at most: `loadCeilings` of the config layer reads it. */
  readonly ceilings: readonly Ceiling[];
  /** Whether a policy may waive the sandbox. */
  readonly waivers: "allowed" | "refused";
}

/** Opens this machine for whoever runs on it. The folders that were named may be worked on. */
export function openLocalMachine({ home, ceilings, waivers }: LocalMachineOptions): LocalMachine {
  const folder: AbsolutePath = parseAbsolutePath(home);
  makeHome(folder);
  const host: ExecHost = {
    env: process.env,
    ...probePlaces(process.env),
    platform: process.platform,
    own: ownPathsOf(folder, []),
    records: recordsFolder(),
    externalSandbox: "absent",
    bounds: { ceilings, roots: "any", waivers, hostNetwork: "allowed" },
  };
  const receipts = openReceiptStore(folder);
  const executor = createLocalExecutor({ host, receipts, home: folder });
  return {
    host,
    executor: {
      ...executor,
      async close() {
        await executor.close();
        // A program may open one machine after the other, and has only so many files.
        receipts.close();
      },
    },
  };
}
