/**
 * The client's end of an app-server: calls, what is told, and what is asked.
 *
 * Everything that is told goes to one place, in order. A question is handed on with the id under
 * which the server may take it back.
 */
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
import type { ChatEvent, ChatQuestion, Decision } from "./chat-event.ts";

const { notify } = appProtocol.toClient;
type Notifications = typeof notify;
type Asks = typeof appProtocol.toClient.ask;

/** Who listens to a server. */
export interface ChatListener {
  heard(event: ChatEvent): void;
  /** The letter a person answered with; `id` is what the server calls the question. */
  asked(question: ChatQuestion, id: RequestId | undefined): Promise<Decision>;
}

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

type PermissionsQuestion = Extract<ChatQuestion, { kind: "permissionsApproval" }>["params"];

/** A yes grants what was asked for and nothing else. */
function grantOf(
  decision: Decision,
  { permissions: { network, fileSystem } }: PermissionsQuestion,
) {
  if (decision !== "accept" && decision !== "acceptForSession") return { permissions: {} };
  const scope = decision === "accept" ? ("turn" as const) : ("session" as const);
  return { permissions: { network, fileSystem }, scope };
}
