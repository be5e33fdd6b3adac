import { OFFLINE_CHOICE, offlineModels } from "../../agent/index.ts";
import type { BeginMembers } from "./chat-thread.ts";
import type { ChatClient } from "./client/chat-client.ts";

/** Of the built-in provider every model is known: one that there is not would refuse each turn. Throws `ModelError`. */
export function refuseUnknownModel({
  model,
  modelProvider: provider,
}: Pick<BeginMembers, "model" | "modelProvider">): void {
  if (model != null && provider === OFFLINE_CHOICE.provider)
    offlineModels.find({ provider, model, effort: null });
}

/**
 * What a thread is gone on with: a model that is asked for is one of the provider that is configured now, which may be
 * another than that of the thread.
 */
export async function chooseModel(
  members: BeginMembers,
  threadId: string,
  call: ChatClient["call"],
): Promise<BeginMembers> {
  const { model } = members;
  if (model == null) return members;
  const { config } = await call.catalog.configRead({});
  const { thread } = await call.thread.read({ threadId });
  return { ...members, modelProvider: config.model_provider ?? thread.modelProvider };
}
