/** The Vercel provider with its real SDK, on a twin of the service that runs real processes. */
import { providerContract } from "../../session/provider/provider-contract.ts";
import { vercelLab, vmIntentIn } from "../../session/provider/vercel/twin/vercel-lab.ts";

providerContract("on VMs of Vercel", vercelLab, {
  hasPlaces: false,
  hasEnd: true,
  rulesFiles: false,
  takesInput: false,
  intentIn: vmIntentIn,
});
