import type { StateRefusal } from "./read-sandbox-state.ts";

/** A refusal as the result of a tool, so that the model reads why nothing ran. */
export function refusalResult({ message }: Pick<StateRefusal, "message">) {
  return { isError: true, content: [{ type: "text" as const, text: message }] };
}
