import type { LanguageModelMiddleware } from "ai";

/** A call as the model wrote it. */
export interface WrittenCall {
  readonly id: string;
  readonly name: string;
  readonly input: string;
}

/**
 * Keeps calls as they were written and takes the provider's warnings away.
 *
 * The SDK parses inputs, which loses what is ambiguous in them, and prints warnings.
 */
export function keepCalls(kept: (call: WrittenCall) => void): LanguageModelMiddleware {
  return {
    specificationVersion: "v4",
    async wrapStream({ doStream }) {
      const { stream, ...rest } = await doStream();
      const watched = stream.pipeThrough(
        new TransformStream({
          transform(part, controller) {
            if (part.type === "tool-call") {
              kept({ id: part.toolCallId, name: part.toolName, input: part.input });
            }
            controller.enqueue(part.type === "stream-start" ? { ...part, warnings: [] } : part);
          },
        }),
      );
      return { ...rest, stream: watched };
    },
  };
}
