/** Whether a started process is confined, by what the server says of it. Pure. */
import type { z } from "zod";
import type { PermissionProfile } from "../../policy/index.ts";
import { ExecError } from "../exec-error.ts";
import type { SandboxType } from "../process-event.ts";
import type { processMethods } from "../protocol/process-methods.ts";
import type { StartRequest } from "../start-request.ts";
import type { ServerTrust } from "./server-trust.ts";

type Told = z.output<typeof processMethods.start.result>["sandboxType"];

/** What a server answered about a start; `unheard` where its answer was lost with the connection. */
export type StartAnswer =
  | { readonly kind: "answered"; readonly sandboxType: Told }
  | { readonly kind: "unheard" };

/** The sandbox of a started process; throws where one was asked for and none is confirmed. */
export function confirmSandbox(
  { processId, sandbox }: StartRequest,
  answer: StartAnswer,
  trust: ServerTrust,
): SandboxType {
  const type = sandbox.kind === "waived" ? "disabled" : sandbox.context.profile.type;
  const told = answer.kind === "answered" ? answer.sandboxType : promisedBy(trust, type);
  if (sandbox.kind === "waived") return typeOf(told);
  if (told !== undefined && told !== "none") return typeOf(told);
  const confinesNothing = type === "disabled" || (type === "external" && trust.kind === "writ");
  if (told === "none" && confinesNothing) return "none";
  throw new ExecError(
    answer.kind === "unheard" ? "disconnected" : "untrustedServer",
    `Cannot let "${processId}" run: the server ${says(answer)}, expected a sandbox. It was ended`,
    { field: "sandbox" },
  );
}

function says(answer: StartAnswer): string {
  if (answer.kind === "unheard") return "was cut off before it could say how it is confined";
  return answer.sandboxType === undefined
    ? "does not say how it is confined"
    : "runs it unconfined";
}

/** A newer kind of the same system counts as the one that there is a word for. */
function typeOf(told: Told): SandboxType {
  return told === "windowsMxc" ? "windowsRestrictedToken" : (told ?? "none");
}

const BY_SYSTEM: Readonly<Record<string, SandboxType>> = {
  linux: "linuxSeccomp",
  macos: "macosSeatbelt",
};

/** Ours starts nothing that it does not confine as asked; only its operator knows what `external` means there. */
function promisedBy(trust: ServerTrust, type: PermissionProfile["type"]): SandboxType | undefined {
  if (type === "disabled") return "none";
  if (trust.kind !== "writ" || type === "external") return undefined;
  return BY_SYSTEM[trust.system ?? ""];
}
