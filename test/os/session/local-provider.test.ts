/** The local provider on real executors: of this machine, over a wire, as root and as an ordinary user. */
import { mkdtempSync } from "node:fs";
import path from "node:path";
import type { Executor } from "../../../src/exec/index.ts";
import { executorAt } from "../../../src/exec/remote/executor-at.ts";
import { createLocalProvider } from "../../../src/session/provider/local/create-local-provider.ts";
import { contractPlace } from "../../exec/contract/support/contract-place.ts";
import {
  execServer,
  listening,
  localExecutor,
  remoteExecutor,
} from "../../exec/contract/support/our-executors.ts";
import {
  ON_EXECUTOR,
  type ProviderLab,
  providerContract,
} from "../../session/provider/provider-contract.ts";
import { sharedLab } from "../exec-server/support/exec-lab.ts";
import { USERS } from "../support/sandbox-user.ts";

function labOn(executor: Executor, place: Pick<ProviderLab, "workspace" | "outside">): ProviderLab {
  const provider = createLocalProvider({ executor });
  return { ...place, provider, strike: async (id) => executor.anchors?.close(id) };
}

providerContract("on this machine", async () => labOn(localExecutor().executor, contractPlace()), {
  ...ON_EXECUTOR,
  hasPlaces: true,
  hasEnd: true,
});

providerContract(
  "on a server over a WebSocket",
  async () =>
    labOn(await remoteExecutor(executorAt(await listening(execServer()))), contractPlace()),
  { ...ON_EXECUTOR, hasPlaces: true, hasEnd: true },
);

providerContract(
  "on a server that has no anchors",
  async () => {
    const executor = await remoteExecutor(executorAt(await listening(execServer())));
    return labOn({ ...executor, anchors: undefined }, contractPlace());
  },
  { ...ON_EXECUTOR, hasPlaces: false, hasEnd: false },
);

for (const user of USERS) {
  const lab = sharedLab({ user });
  const make = async () => {
    const { place, url } = lab();
    const workspace = mkdtempSync(path.join(place.workspace, "ws-"));
    const outside = mkdtempSync(path.join(place.outside, "out-"));
    place.give();
    return labOn(await remoteExecutor(executorAt(url)), { workspace, outside });
  };
  providerContract(`on the server of a user (${user})`, make, {
    ...ON_EXECUTOR,
    hasPlaces: true,
    hasEnd: true,
  });
}
