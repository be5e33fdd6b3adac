import type { ChatSettings } from "../chat-settings.ts";
import { policyWords } from "./policy-words.ts";

/** What somebody who has just come has to know, a line each: at most six. */
export function welcomeLines(settings: ChatSettings): string[] {
  const { cwd, model, modelProvider, approvalPolicy } = settings;
  const asks = typeof approvalPolicy === "string" ? approvalPolicy : "granular";
  return [
    `writ chat in ${cwd}. Model: ${modelProvider}/${model}.`,
    `Policy: ${policyWords(settings)}. Asks: ${asks}.`,
    ...(modelProvider === "writ" ? firstSteps(settings) : ["Say what you want done."]),
    "/help lists the rest, /quit ends.",
  ];
}

/** With the built-in model, what is typed is what runs. */
function firstSteps({ sandbox }: ChatSettings): string[] {
  const where = sandbox.type === "dangerFullAccess" ? "without a sandbox" : "in the sandbox";
  const first = `A line is a command, ${where}. Try: ls`;
  if (sandbox.type !== "readOnly") return [first, "For the next turn: /policy read-only"];
  return [
    first,
    "Denied, with the reason: touch hello.txt",
    "Allow it from the next turn on: /policy workspace-write",
  ];
}
