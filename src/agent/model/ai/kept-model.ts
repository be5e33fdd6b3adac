import type { LanguageModelOptions } from "./open-language-model.ts";
import { openLanguageModel } from "./open-language-model.ts";
import type { OpenedModel } from "./opened-model.ts";

type Told = Omit<LanguageModelOptions, "provider">;

/** The model of one provider that was asked last. It is opened again as soon as anything that it was told is another. */
export class KeptModel {
  #kept: { readonly told: string; readonly model: OpenedModel } | undefined;

  async open(options: LanguageModelOptions): Promise<OpenedModel> {
    const told = textOf(options);
    if (this.#kept?.told === told) return this.#kept.model;
    const model = await openLanguageModel(options);
    this.#kept = { told, model };
    return model;
  }
}

/** All but the provider, which each of these has but one of. */
function textOf({ choice, key, headers, queryParams, maxAnswerBytes }: Told): string {
  return JSON.stringify([choice.model, key ?? null, headers, queryParams, maxAnswerBytes]);
}
