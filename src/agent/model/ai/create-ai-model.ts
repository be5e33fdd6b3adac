/**
 * One model, asked through a provider of the AI SDK.
 *
 * A request is one answer: nothing here runs a tool or goes a second round. Calls
 * are handed over as they were written, and when the answer is complete, so that
 * nothing is run for one that broke off.
 */
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import { UnnamedCalls } from "./answer/unnamed-calls.ts";
import { UnstreamedTexts } from "./answer/unstreamed-texts.ts";
import { type DeltaEvent, WholeDeltas } from "./answer/whole-deltas.ts";
import { askAgain } from "./ask-again.ts";
import type { KeptModel } from "./kept-model.ts";
import type { ModelProvider } from "./model-provider.ts";
import { dialectOf, providerOptionsOf } from "./open-language-model.ts";
import type { OpenedModel } from "./opened-model.ts";
import { promptOfHistory } from "./prompt-of-history.ts";
import { type ProviderSecrets, readSecrets } from "./read-secrets.ts";
import { StallWatch } from "./stall-watch.ts";
import { type FailedAsk, modelError, toModelError } from "./to-model-error.ts";

export interface AskSettings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly maxRetries: number;
  readonly stallMs: number;
  readonly maxAnswerBytes: number;
}

/** Where models come from, and what was opened there. */
export interface AskedPlace {
  readonly provider: ModelProvider;
  readonly kept: KeptModel;
}

interface Ask extends AskSettings, AskedPlace {
  readonly request: ModelRequest;
  readonly secrets: ProviderSecrets;
  readonly signal: AbortSignal;
}

type Streaming = Awaited<ReturnType<OpenedModel["doStream"]>>["stream"];
type StreamPart = Streaming extends ReadableStream<infer Part> ? Part : never;
type FinishPart = Extract<StreamPart, { type: "finish" }>;
type CallEvent = Extract<ModelEvent, { kind: "call" }>;

/** What only the wire tells of. */
interface RawHeard {
  readonly calls: UnnamedCalls;
  readonly texts: UnstreamedTexts;
}

/** A model that is loaded, and its key looked up, when it is asked. */
export function createAiModel({ provider, kept }: AskedPlace, settings: AskSettings): Model {
  return {
    async *respond(request) {
      const secrets = readSecrets(provider, settings.env);
      const failed = {
        provider: provider.name,
        model: request.model.model,
        secrets: untold(provider, secrets),
      };
      const watch = new StallWatch(settings.stallMs);
      const signal = AbortSignal.any([request.signal, watch.signal]);
      try {
        yield* answerOf({ ...settings, provider, kept, request, secrets, signal }, watch, failed);
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

/** A shorter value that is set in the open is none, and would be found in many words. */
const SHORTEST_SECRET = 8;

/** What a provider may quote and nobody else is to see. Values of the settings are keys, too, with some providers. */
function untold(
  { httpHeaders = {}, queryParams = {} }: ModelProvider,
  { key, headers }: ProviderSecrets,
): readonly string[] {
  const params = Object.values(queryParams);
  const written = params.map((one) => new URLSearchParams([["", one]]).toString().slice(1));
  const set = [...Object.values(httpHeaders), ...params, ...written].filter(
    ({ length }) => length >= SHORTEST_SECRET,
  );
  const all = [...(key === undefined ? [] : [key]), ...Object.values(headers), ...set];
  return all.sort((one, other) => other.length - one.length);
}

async function* answerOf(
  ask: Ask,
  watch: StallWatch,
  failed: FailedAsk,
): AsyncGenerator<ModelEvent> {
  const { signal } = ask;
  const calls: CallEvent[] = [];
  const raw = { calls: new UnnamedCalls(), texts: new UnstreamedTexts() };
  const deltas = new WholeDeltas();
  let end: FinishPart | undefined;
  for await (const part of await startStream(ask, failed)) {
    watch.touch();
    signal.throwIfAborted();
    if (part.type === "finish") end = part;
    for (const event of eventsOf(part, raw)) {
      if (event.kind === "call") calls.push(event);
      else yield* deltas.take(event);
    }
  }
  signal.throwIfAborted();
  watch.rest();
  refuseBroken(end, failed);
  if (end !== undefined) yield { kind: "usage", usage: usageOf(end.usage) };
  yield* calls;
  yield* raw.calls.events();
}

async function startStream(ask: Ask, failed: FailedAsk): Promise<Streaming> {
  const { provider, kept, request, secrets, maxAnswerBytes } = ask;
  const { signal: abortSignal, maxRetries } = ask;
  const { instructions, history, model: choice } = request;
  const said = promptOfHistory(history, dialectOf(provider));
  if (said.length === 0) throw modelError("rejected", "nothing was said, expected a text", failed);
  const headers = { ...provider.httpHeaders, ...secrets.headers };
  const guarded = { key: secrets.key, headers, queryParams: provider.queryParams ?? {} };
  const model = await kept.open({ provider, choice, maxAnswerBytes, ...guarded });
  const system = instructions === null ? [] : [{ role: "system" as const, content: instructions }];
  const options = {
    prompt: [...system, ...said],
    ...toolsOf(request),
    providerOptions: providerOptionsOf(provider, choice),
    // The parts of Anthropic have all that it said.
    includeRawChunks: dialectOf(provider) !== "anthropic",
    abortSignal,
  };
  const attempt = () => model.doStream(options);
  return (await askAgain(attempt, { maxRetries, signal: abortSignal })).stream;
}

function toolsOf({ tools }: ModelRequest) {
  if (tools.length === 0) return {};
  return {
    // Strict would have the provider rewrite schemas that are not ours.
    tools: tools.map((tool) => ({ type: "function" as const, strict: false, ...tool })),
    toolChoice: { type: "auto" as const },
  };
}

function eventsOf(part: StreamPart, raw: RawHeard): Iterable<CallEvent | DeltaEvent> {
  switch (part.type) {
    case "error":
      throw part.error;
    case "raw":
      raw.calls.take(part.rawValue);
      return raw.texts.take(part.rawValue);
    case "text-delta":
      return part.delta === "" ? [] : [textOf(part)];
    case "reasoning-delta":
      return part.delta === "" ? [] : [reasoningOf(part)];
    case "tool-call": {
      const { toolCallId: callId, toolName: name, input } = part;
      return [{ kind: "call", callId, name, input }];
    }
    default:
      return [];
  }
}

interface Delta {
  readonly id: string;
  readonly delta: string;
}

function textOf({ id: itemId, delta }: Delta): DeltaEvent {
  return { kind: "text", itemId, delta };
}

/** The SDK numbers the parts of a summary behind the id of its item. */
function reasoningOf({ id, delta }: Delta): DeltaEvent {
  const [, itemId = id, number = "0"] = /^(.*):(\d{1,6})$/s.exec(id) ?? [];
  return { kind: "reasoning", itemId, part: "summary", index: Number(number), delta };
}

/** An answer that is not whole is none: what it calls was perhaps not all it had to say. */
function refuseBroken(end: FinishPart | undefined, failed: FailedAsk): void {
  switch (end?.finishReason.unified) {
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

function usageOf({ inputTokens: read, outputTokens: written }: FinishPart["usage"]) {
  const [inputTokens, outputTokens] = [countOf(read.total), countOf(written.total)];
  return {
    inputTokens,
    cachedInputTokens: countOf(read.cacheRead),
    outputTokens,
    reasoningOutputTokens: countOf(written.reasoning),
    totalTokens: inputTokens + outputTokens,
  };
}

/** So that what a thread used can be added up for as long as it lasts. */
const MOST_TOKENS = 2 ** 40;

/** What a provider says that is no number of tokens is none of them. */
function countOf(tokens = 0): number {
  return Number.isInteger(tokens) && tokens >= 0 && tokens <= MOST_TOKENS ? tokens : 0;
}
