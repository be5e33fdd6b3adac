import type { z } from "zod";
import type { appProtocol } from "../../../app-server/index.ts";

type Notifications = typeof appProtocol.toClient.notify;
type Asks = typeof appProtocol.toClient.ask;
type ParamsOf<M> = M extends { readonly params: infer P extends z.ZodType } ? z.output<P> : never;

/** Something that the server told, by the name of its declaration. */
export type ChatEvent = {
  [K in keyof Notifications]: { readonly kind: K; readonly params: ParamsOf<Notifications[K]> };
}[keyof Notifications];

/** Something that the server asks a person. */
export type ChatQuestion = {
  [K in ApprovalKind]: { readonly kind: K; readonly params: ParamsOf<Asks[K]> };
}[ApprovalKind];

type ApprovalKind = Exclude<keyof Asks, "toolCall">;

/** What a person says to a question. */
export type Decision = "accept" | "acceptForSession" | "decline" | "cancel";
