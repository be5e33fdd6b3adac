import { APP_MESSAGE_BYTES, type AppServer } from "../../app-server/index.ts";
import { connectWebSocket, createMemoryPair, type Transport } from "../../rpc/index.ts";
import type { AppDoor } from "../app/app-door.ts";
import type { CliWorld } from "../command.ts";
import type { ChatOptions } from "./chat-options.ts";

/** A connection to the server that the chat is with. */
export interface ChatServer {
  readonly transport: Transport;
  /** Ends the server, if it is the chat's own, and waits for what runs in it. */
  close(): Promise<void>;
}

/** Nobody comes in but the chat itself. */
const NO_DOOR: AppDoor = {
  address: { kind: "off" },
  auth: { kind: "none" },
  reachable: false,
  secrets: [],
};

/** Connects to the server of `--remote`, or opens one in this process. */
export async function openChatServer(
  { remote }: Pick<ChatOptions, "remote">,
  world: CliWorld,
): Promise<ChatServer> {
  if (remote !== undefined) {
    const { address, token } = remote;
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const transport = await connectWebSocket(address, {
      headers,
      maxMessageBytes: APP_MESSAGE_BYTES,
    });
    return { transport, close: async () => {} };
  }
  const { openAppServer } = await import("../app/open-app-server.ts");
  const server: AppServer = await openAppServer(world, {}, NO_DOOR);
  const [here, there] = createMemoryPair();
  server.accept(there);
  return { transport: here, close: () => server.close() };
}
