/**
 * One model, asked through the AI SDK.
 *
 * A request is one answer: the SDK runs no tool and goes no second round. Calls
 * are handed over when the answer is complete, so that nothing is run for one
 * that broke off.
 */
import type { LanguageModelUsage, TextStreamPart, ToolSet } from "ai";
import type { Model, ModelEvent, ModelRequest, ToolDeclaration } from "../model.ts";
import { keepCalls, type WrittenCall } from "./keep-calls.ts";
import { messagesOfHistory } from "./messages-of-history.ts";
import type { ModelProvider } from "./model-provider.ts";
import { openLanguageModel, providerOptionsOf } from "./open-language-model.ts";
import { type ProviderSecrets, readSecrets } from "./read-secrets.ts";
import { StallWatch } from "./stall-watch.ts";
import { type FailedAsk, modelError, toModelError } from "./to-model-error.ts";

export interface AskSettings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly maxRetries: number;
  readonly stallMs: number;
  readonly maxAnswerBytes: number;
}

interface Ask extends AskSettings {
  readonly provider: ModelProvider;
  readonly request: ModelRequest;
  readonly secrets: ProviderSecrets;
  readonly signal: AbortSignal;
  readonly calls: WrittenCall[];
}

/** A model that is loaded, and its key looked up, when it is asked. */
export function createAiModel(provider: ModelProvider, settings: AskSettings): Model {
  return {
    async *respond(request) {
      const secrets = readSecrets(provider, settings.env);
      const failed = {
        provider: provider.name,
        model: request.model.model,
        secrets: [secrets.key, ...Object.values(secrets.headers)].filter(
          (one) => one !== undefined,
        ),
      };
      const watch = new StallWatch(settings.stallMs);
      const signal = AbortSignal.any([request.signal, watch.signal]);
      try {
        const ask = { ...settings, provider, request, secrets, signal, calls: [] };
        yield* answerOf(ask, watch, failed);
      } catch (error) {
        if (request.signal.aborted) throw modelError("interrupted", "it was interrupted", failed);
        if (watch.signal.aborted) {
          throw modelError("unavailable", `nothing came for ${settings.stallMs} ms`, failed);
        }
        throw toModelError(error, failed);
      } finally {
        watch.stop();
      }
    },
  };
}

async function* answerOf(
  ask: Ask,
  watch: StallWatch,
  failed: FailedAsk,
): AsyncGenerator<ModelEvent> {
  const { signal, calls } = ask;
  let end: FinishPart | undefined;
  for await (const part of await startStream(ask)) {
    watch.touch();
    signal.throwIfAborted();
    if (part.type === "error") throw part.error;
    if (part.type === "finish") end = part;
    const event = eventOf(part);
    if (event !== undefined) yield event;
  }
  signal.throwIfAborted();
  refuseBroken(end, failed);
  if (end !== undefined) yield { kind: "usage", usage: usageOf(end.totalUsage) };
  for (const { id, name, input } of calls) {
    yield { kind: "call", callId: id, name, input };
  }
}

type FinishPart = Extract<TextStreamPart<ToolSet>, { type: "finish" }>;

async function startStream({ provider, request, secrets, signal, calls, ...settings }: Ask) {
  const { streamText, wrapLanguageModel } = await import("ai");
  const { maxRetries, maxAnswerBytes } = settings;
  const choice = request.model;
  const headers = { ...provider.httpHeaders, ...secrets.headers };
  const guarded = { key: secrets.key, headers, queryParams: provider.queryParams ?? {} };
  const model = await openLanguageModel({ provider, choice, maxAnswerBytes, ...guarded });
  const result = streamText({
    model: wrapLanguageModel({ model, middleware: keepCalls((call) => calls.push(call)) }),
    ...(request.instructions !== null && { instructions: request.instructions }),
    messages: messagesOfHistory(request.history),
    tools: await toolSetOf(request.tools),
    providerOptions: providerOptionsOf(provider, choice),
    maxRetries,
    abortSignal: signal,
    telemetry: { isEnabled: false },
    // Errors come as parts; left out, this would print them.
    onError: () => {},
  });
  return result.stream;
}

async function toolSetOf(declarations: readonly ToolDeclaration[]): Promise<ToolSet> {
  const { jsonSchema, tool } = await import("ai");
  return Object.fromEntries(
    declarations.map(({ name, description, inputSchema }) => [
      name,
      // Strict would have the provider rewrite schemas that are not ours.
      tool({ description, inputSchema: jsonSchema(inputSchema), strict: false }),
    ]),
  );
}

function eventOf(part: TextStreamPart<ToolSet>): ModelEvent | undefined {
  if (part.type === "text-delta" && part.text !== "") {
    return { kind: "text", itemId: part.id, delta: part.text };
  }
  if (part.type === "reasoning-delta" && part.text !== "") {
    // The SDK numbers the parts of a summary behind the id of its item.
    const [, item = part.id, number = "0"] = /^(.*):(\d{1,6})$/s.exec(part.id) ?? [];
    const index = Number(number);
    return { kind: "reasoning", itemId: item, part: "summary", index, delta: part.text };
  }
  return undefined;
}

/** An answer that is not whole is none: what it calls was perhaps not all it had to say. */
function refuseBroken(end: FinishPart | undefined, failed: FailedAsk): void {
  switch (end?.finishReason) {
    case "stop":
    case "tool-calls":
      return;
    case "length":
      throw modelError("rejected", "the answer reached the length that the model allows", failed);
    case "content-filter":
      throw modelError("rejected", "the provider would not answer this", failed);
    default:
      throw modelError("unavailable", "the answer ended before it was complete", failed);
  }
}

function usageOf(usage: LanguageModelUsage) {
  const { inputTokens = 0, outputTokens = 0, totalTokens } = usage;
  return {
    inputTokens,
    cachedInputTokens: usage.inputTokenDetails.cacheReadTokens ?? 0,
    outputTokens,
    reasoningOutputTokens: usage.outputTokenDetails.reasoningTokens ?? 0,
    totalTokens: totalTokens ?? inputTokens + outputTokens,
  };
}
