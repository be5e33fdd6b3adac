import { protocol } from "../../rpc/index.ts";
import { catalogMethods } from "./catalog-methods.ts";
import { commandMethods } from "./command-methods.ts";
import { environmentMethods } from "./environment-methods.ts";
import { fileMethods } from "./file-methods.ts";
import { mcpMethods } from "./mcp-methods.ts";
import { notifications } from "./notifications.ts";
import { serverRequests } from "./server-requests.ts";
import { sessionMethods } from "./session-methods.ts";
import { terminalMethods } from "./terminal-methods.ts";
import { threadMethods } from "./thread-methods.ts";
import { turnMethods } from "./turn-methods.ts";

/** Everything a client and an app-server may say to each other. */
export const appProtocol = protocol({
  name: "app-server",
  summary: "Threads whose sandbox policy is set at the start and holds for every tool call.",
  toServer: {
    session: sessionMethods,
    thread: threadMethods,
    turn: turnMethods,
    terminal: terminalMethods,
    catalog: catalogMethods,
    mcp: mcpMethods,
    command: commandMethods,
    files: fileMethods,
    environment: environmentMethods,
  },
  toClient: { notify: notifications, ask: serverRequests },
});
