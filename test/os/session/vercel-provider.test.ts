/** The Vercel provider with its real SDK, on a twin of the service that runs real processes. */
import { withShims } from "../../../src/session/index.ts";
import {
  type ProviderOptions,
  providerContract,
} from "../../session/provider/provider-contract.ts";
import { vercelLab, vmIntentIn } from "../../session/provider/vercel/twin/vercel-lab.ts";

const VM: ProviderOptions = {
  hasPlaces: false,
  hasEnd: true,
  rulesFiles: false,
  takesInput: false,
  intentIn: vmIntentIn,
};

providerContract("on VMs of Vercel", vercelLab, VM);

const withGh = async () => {
  const lab = await vercelLab();
  return { ...lab, provider: withShims(lab.provider, ["gh"]) };
};

providerContract("on VMs of Vercel with shims", withGh, VM);
