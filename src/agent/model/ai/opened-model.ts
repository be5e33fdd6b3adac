import type { OpenAIProvider } from "@ai-sdk/openai";

/** What every model of the SDK is, whoever provides it. */
export type OpenedModel = ReturnType<OpenAIProvider["responses"]>;

/** What such a model is asked with. */
export type Prompt = Parameters<OpenedModel["doStream"]>[0]["prompt"];
