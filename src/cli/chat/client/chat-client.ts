/**
 * The client's end of an app-server: calls, what is told, and what is asked.
 *
 * Everything that is told goes to one place, in order. A question is handed on with the id under
 * which the server may take it back.
 */
import type { z } from "zod";
import { APP_MESSAGE_BYTES, appDialect, appProtocol } from "../../../app-server/index.ts";
import {
  type Client,
  clientOf,
  createPeer,
  createRouter,
  type Handlers,
  JSON_LIMITS,
  type Peer,
  type RequestId,
  type Transport,
} from "../../../rpc/index.ts";

const { notify, ask } = appProtocol.toClient;

type Notifications = typeof notify;
type Asks = typeof ask;
type ParamsOf<M> = M extends { readonly params: infer P extends z.ZodType } ? z.output<P> : never;
type ResultOf<M> = M extends { readonly result: infer R extends z.ZodType } ? z.input<R> : never;

/** Something that the server told, by the name of its declaration. */
export type ChatEvent = {
  [K in keyof Notifications]: { readonly kind: K; readonly params: ParamsOf<Notifications[K]> };
}[keyof Notifications];

/** Something that the server asks a person. */
export type ChatQuestion = {
  [K in ApprovalKind]: { readonly kind: K; readonly params: ParamsOf<Asks[K]> };
}[ApprovalKind];

type ApprovalKind = Exclude<keyof Asks, "toolCall">;

/** Who listens to a server. */
export interface ChatListener {
  heard(event: ChatEvent): void;
  /** The letter a person answered with; `id` is what the server calls the question. */
  asked(question: ChatQuestion, id: RequestId | undefined): Promise<Decision>;
}

export type Decision = "accept" | "acceptForSession" | "decline" | "cancel";

export interface ChatClient {
  readonly call: Client<typeof appProtocol.toServer>;
  readonly peer: Peer;
}

/** Speaks over a transport; nothing is said yet. */
export function createChatClient(transport: Transport, listener: ChatListener): ChatClient {
  const router = createRouter({
    methods: appProtocol.toClient,
    handlers: { notify: tellAll(listener), ask: askPerson(listener) },
  });
  const peer = createPeer<unknown>({
    transport,
    dialect: appDialect,
    // What is told keeps its order; a question that waits for a person holds nothing up.
    schedule: {
      kind: "concurrent",
      limit: OPEN_QUESTIONS,
      keyOf: (method) => (method.endsWith("/requestApproval") ? undefined : "told"),
    },
    limits: { json: { ...JSON_LIMITS, maxLength: APP_MESSAGE_BYTES, maxValues: 1_048_576 } },
    log: () => {},
    serve: { router, context: () => undefined },
  });
  return { call: clientOf(appProtocol.toServer, peer), peer };
}

const OPEN_QUESTIONS = 256;

function tellAll(listener: ChatListener): Handlers<Notifications, unknown> {
  const handlers = Object.keys(notify).map((kind) => [
    kind,
    (params: unknown) => listener.heard({ kind, params } as ChatEvent),
  ]);
  return Object.fromEntries(handlers);
}

function askPerson(listener: ChatListener): Handlers<Asks, unknown> {
  return {
    commandApproval: async (params, _, { id }) => ({
      decision: await listener.asked({ kind: "commandApproval", params }, id),
    }),
    fileChangeApproval: async (params, _, { id }) => ({
      decision: await listener.asked({ kind: "fileChangeApproval", params }, id),
    }),
    permissionsApproval: async (params, _, { id }) =>
      grantOf(await listener.asked({ kind: "permissionsApproval", params }, id), params),
    // None was offered.
    toolCall: () => ({ contentItems: [], success: false }),
  };
}

/** A yes grants what was asked for and nothing else. */
function grantOf(
  decision: Decision,
  { permissions: { network, fileSystem } }: ParamsOf<Asks["permissionsApproval"]>,
): ResultOf<Asks["permissionsApproval"]> {
  if (decision !== "accept" && decision !== "acceptForSession") return { permissions: {} };
  const scope = decision === "accept" ? "turn" : "session";
  return { permissions: { network, fileSystem }, scope };
}
