/** A provider of VMs on a twin, with a workspace and a store of receipts, for one test. */
import { chmodSync, chownSync, mkdirSync } from "node:fs";
import path from "node:path";
import { openReceiptStore, type ReceiptStore } from "../../../../../src/exec/index.ts";
import {
  NetworkRules,
  type PermissionProfile,
  parseAbsolutePath,
} from "../../../../../src/policy/index.ts";
import { createVercelProvider } from "../../../../../src/session/provider/vercel/create-vercel-provider.ts";
import { contractPlace } from "../../../../exec/contract/support/contract-place.ts";
import { temporaryFolder } from "../../../../support/temporary-folder.ts";
import type { ProviderLab } from "../../provider-contract.ts";
import { type IntentIn, intentOf } from "../../support/sandbox-of.ts";
import { VercelTwin } from "./vercel-twin.ts";

export const ACCOUNT = { token: "token-of-nobody", teamId: "team_1", projectId: "prj_1" };

export interface VercelLab extends ProviderLab {
  readonly twin: VercelTwin;
  readonly receipts: ReceiptStore;
}

/** What a VM keeps: a network, and nothing inside. */
export const external = {
  type: "external",
  network: { kind: "restricted" },
  unixSockets: "host",
} as const satisfies PermissionProfile;

/** One host is open; for `read-only` none is. */
export const vmIntentIn: IntentIn = (workspace, mode = "workspace-write") => {
  const rules = NetworkRules.parse({ domains: { "example.com": "allow" } });
  const network = { kind: "ruled", rules } as const;
  return intentOf(mode === "read-only" ? external : { ...external, network }, workspace);
};

export async function vercelLab(): Promise<VercelLab> {
  const twin = await VercelTwin.open();
  const { workspace, outside } = contractPlace();
  // As in a VM, where these folders belong to the user that commands run as.
  const tmp = path.join(path.dirname(workspace), "tmp");
  mkdirSync(tmp);
  for (const folder of [workspace, tmp]) {
    if (process.getuid?.() === 0) chownSync(folder, 65_534, 65_534);
  }
  chmodSync(path.dirname(workspace), 0o755);
  twin.workspace = workspace;
  const receipts = openReceiptStore(parseAbsolutePath(temporaryFolder()));
  const provider = createVercelProvider({ account: ACCOUNT, receipts, fetch: twin.fetch });
  const strike = async (id: string) =>
    twin.vms.find(({ sessionId }) => id.endsWith(sessionId))?.end();
  return { twin, receipts, provider, workspace, outside, strike };
}
