/**
 * A model of the SDK for a provider and a name, loaded when it is first asked for.
 *
 * The SDK is large and most commands never ask a model, so nothing of it is
 * imported before. It is given an empty key, lest it looks for one by itself.
 */
import type { ModelChoice } from "../../agent.ts";
import { type FetchGuard, guardFetch } from "./guard-fetch.ts";
import type { ModelProvider } from "./model-provider.ts";
import type { OpenedModel } from "./opened-model.ts";

export interface LanguageModelOptions extends Omit<FetchGuard, "header"> {
  readonly provider: ModelProvider;
  readonly choice: ModelChoice;
}

/** Which protocol a provider speaks, and what else it is told. */
export function dialectOf({ name, wireApi }: ModelProvider): "anthropic" | "responses" | "chat" {
  return name === "anthropic" ? "anthropic" : wireApi;
}

export async function openLanguageModel(options: LanguageModelOptions): Promise<OpenedModel> {
  const { provider, choice, ...guard } = options;
  const baseURL = provider.baseUrl;
  switch (dialectOf(provider)) {
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      const fetch = guardFetch({ ...guard, header: "x-api-key" });
      return createAnthropic({ baseURL, apiKey: "", fetch }).messages(choice.model);
    }
    case "responses": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      const fetch = guardFetch({ ...guard, header: "authorization" });
      return createOpenAI({ baseURL, apiKey: "", fetch }).responses(choice.model);
    }
    case "chat": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const fetch = guardFetch({ ...guard, header: "authorization" });
      const settings = { name: "chat", baseURL, apiKey: "", fetch, includeUsage: true };
      return createOpenAICompatible(settings).chatModel(choice.model);
    }
  }
}

/** What a provider is told of how hard to think, and that it is to keep nothing. */
export function providerOptionsOf(provider: ModelProvider, { effort }: ModelChoice) {
  const thinks = effort !== null;
  return {
    openai: {
      store: false,
      ...(thinks && { reasoningEffort: effort, reasoningSummary: "auto", forceReasoning: true }),
    },
    ...(thinks && dialectOf(provider) === "chat" && { chat: { reasoningEffort: effort } }),
    ...(thinks && dialectOf(provider) === "anthropic" && { anthropic: { effort } }),
  };
}
