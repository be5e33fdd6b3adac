import { policyForMode, SANDBOX_MODES, writeCamelPolicy } from "../../../policy/index.ts";
import { JSON_LIMITS, JsonError, readJson } from "../../../rpc/index.ts";
import type { PolicyChange } from "../chat-thread.ts";
import { policyLines, policyWords } from "../view/policy-words.ts";
import { type ChatCommand, ChatInputError } from "./chat-command.ts";

/** `/policy`: what is allowed, or something else from the next turn on. */
export const policyCommand: ChatCommand = {
  name: "policy",
  usage: "/policy [MODE|NAME|JSON]",
  summary: "show the policy, or change it for the next turn",
  async run(argument, { thread }) {
    if (argument === "") return { lines: policyLines(thread.settings) };
    const before = thread.settings.writ.profileDigest;
    await thread.changePolicy(readPolicyChange(argument));
    const { settings } = thread;
    const same = settings.writ.profileDigest === before ? " (as before)" : "";
    const digest = settings.writ.profileDigest.slice(0, 16);
    return { lines: [`From the next turn on: ${policyWords(settings)}, digest ${digest}${same}`] };
  },
};

/** A mode keeps what the policy denies; a name replaces all of it. */
export function readPolicyChange(text: string): PolicyChange {
  const mode = SANDBOX_MODES.find((one) => one === text);
  if (mode !== undefined) return { sandboxPolicy: writeCamelPolicy(policyForMode(mode)) };
  if (text.startsWith("{")) return { sandboxPolicy: readPolicyText(text) };
  if (/^:?[\w.-]+$/.test(text)) return { permissions: text };
  const expected = `${SANDBOX_MODES.join(", ")}, the name of a profile, or a policy as JSON`;
  throw new ChatInputError(`Cannot use "${text}": it is no policy, expected ${expected}`);
}

function readPolicyText(text: string): unknown {
  try {
    return readJson(text, JSON_LIMITS);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new ChatInputError(`Cannot use the policy: ${error.message}`, { cause: error });
  }
}
