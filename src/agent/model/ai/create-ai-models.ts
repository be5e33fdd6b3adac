import type { Models } from "../model.ts";
import { ModelError } from "../model-error.ts";
import { createAiModel } from "./create-ai-model.ts";
import { KeptModel } from "./kept-model.ts";
import type { ModelProvider } from "./model-provider.ts";

export interface AiModelsOptions {
  readonly providers: readonly ModelProvider[];
  /** Where keys are looked up, at each request and nowhere else. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How often a request that was not answered is made again; 2 where it is absent. */
  readonly maxRetries?: number;
  /** How long an answer may stand still; five minutes where it is absent. */
  readonly stallMs?: number;
  /** How many bytes an answer may have; 64 MiB where it is absent. */
  readonly maxAnswerBytes?: number;
}

const MOST_RETRIES = 5;
const STALL_MS = 300_000;
const ANSWER_BYTES = 64 * 1024 * 1024;

/** The models of the configured providers. Costs nothing before one of them is asked. */
export function createAiModels(options: AiModelsOptions): Models {
  const places = new Map(
    options.providers.map((provider) => [provider.name, { provider, kept: new KeptModel() }]),
  );
  const settings = {
    env: options.env,
    maxRetries: Math.min(Math.max(Math.trunc(options.maxRetries ?? 2) || 0, 0), MOST_RETRIES),
    stallMs: options.stallMs ?? STALL_MS,
    maxAnswerBytes: options.maxAnswerBytes ?? ANSWER_BYTES,
  };
  return {
    find({ provider: name }) {
      const place = places.get(name);
      if (place === undefined) throw unknownProvider(name, [...places.keys()]);
      return createAiModel(place, settings);
    },
  };
}

function unknownProvider(name: string, known: readonly string[]): ModelError {
  const expected = known.length === 0 ? "one that is configured" : `one of ${known.join(", ")}`;
  const what = `there is no such provider, expected ${expected}`;
  return new ModelError("rejected", `Cannot ask a model of ${JSON.stringify(name)}: ${what}`);
}
