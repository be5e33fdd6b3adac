import {
  type AiModelsOptions,
  createAiModels,
} from "../../../../../src/agent/model/ai/create-ai-models.ts";
import type { ModelProvider } from "../../../../../src/agent/model/ai/model-provider.ts";
import type { ModelEvent, ModelRequest } from "../../../../../src/agent/model/model.ts";

export const KEY = "sk-test-0123456789abcdef";
export const CHOICE = { provider: "openai", model: "gpt-5", effort: null };

export interface Asked extends Partial<ModelRequest> {
  readonly provider?: Partial<ModelProvider>;
  readonly options?: Partial<AiModelsOptions>;
}

/** Asks a provider once, without trying again. */
export function ask(baseUrl: string, { provider, options, ...request }: Asked = {}) {
  const models = createAiModels({
    providers: [{ name: "openai", baseUrl, envKey: "TEST_KEY", wireApi: "responses", ...provider }],
    env: { TEST_KEY: KEY },
    maxRetries: 0,
    ...options,
  });
  const choice = { ...CHOICE, provider: provider?.name ?? "openai", ...request.model };
  return models.find(choice).respond({
    instructions: "Be brief.",
    history: [userSays("hello")],
    tools: [],
    signal: new AbortController().signal,
    ...request,
    model: choice,
  });
}

/** Everything a model did, and what it threw in the end. */
export async function collect(answer: AsyncIterable<ModelEvent>) {
  const events: ModelEvent[] = [];
  try {
    for await (const event of answer) events.push(event);
    return { events, error: undefined };
  } catch (error) {
    return { events, error };
  }
}

export function userSays(text: string) {
  return {
    type: "userMessage",
    id: "u1",
    clientId: null,
    content: [{ type: "text", text }],
  } as const;
}
