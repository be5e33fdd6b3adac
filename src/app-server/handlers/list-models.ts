import type { UserSettings } from "../../config/index.ts";

/** The models there are: the one that is configured, and the built-in one, which needs no key. */
export function listModels({ model, modelProvider, reasoningEffort }: UserSettings) {
  const effort = reasoningEffort ?? "none";
  const isBuiltIn = modelProvider === undefined && model === undefined;
  const builtIn = modelOf("offline", {
    displayName: "writ offline",
    description: "Turns a line into a command. Needs no key and no network.",
    effort: "none",
    isDefault: isBuiltIn,
  });
  if (isBuiltIn || model === undefined) return [builtIn];
  const description = `As configured, from ${modelProvider ?? "the built-in provider"}.`;
  return [modelOf(model, { displayName: model, description, effort, isDefault: true }), builtIn];
}

interface ModelWords {
  readonly displayName: string;
  readonly description: string;
  readonly effort: string;
  readonly isDefault: boolean;
}

function modelOf(id: string, { displayName, description, effort, isDefault }: ModelWords) {
  return {
    id,
    model: id,
    upgrade: null,
    upgradeInfo: null,
    availabilityNux: null,
    displayName,
    description,
    modelSpecialty: null,
    hidden: false,
    supportedReasoningEfforts: [{ reasoningEffort: effort, description: "As configured." }],
    defaultReasoningEffort: effort,
    inputModalities: ["text" as const],
    supportsPersonality: false,
    multiAgentVersion: null,
    additionalSpeedTiers: [],
    serviceTiers: [],
    defaultServiceTier: null,
    availableAccessPrograms: null,
    isDefault,
  };
}
