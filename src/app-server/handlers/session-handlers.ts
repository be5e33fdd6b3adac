import os from "node:os";
import { afterAnswer, type Handlers, RpcError } from "../../rpc/index.ts";
import type { AppConnection } from "../app-connection.ts";
import { appProtocol } from "../protocol/app-protocol.ts";
import type { sessionMethods } from "../protocol/session-methods.ts";
import type { AppParts } from "./app-parts.ts";

const { notify } = appProtocol.toClient;

/** Clients wait for it. */
const NO_REMOTE_CONTROL = {
  status: "disabled",
  serverName: "writ",
  installationId: "",
  environmentId: null,
} as const;

/** The release of Codex whose protocol this is: clients refuse a server that names an older one. */
const PROTOCOL_RELEASE = "0.166.0";

/** How a connection begins. The first client gives the server the name it goes by. */
export function sessionHandlers({
  version,
  writHome,
}: Pick<AppParts, "version" | "writHome">): Handlers<typeof sessionMethods, AppConnection> {
  let originator: string | undefined;
  return {
    initialize: ({ clientInfo, capabilities }, connection) => {
      const { name, version: clientVersion } = clientInfo;
      if (!isHeaderValue(name)) {
        const what = `Invalid clientInfo.name: '${name}'. Must be a valid HTTP header value.`;
        throw new RpcError("invalidRequest", what);
      }
      connection.initialize({
        name,
        version: clientVersion,
        experimental: capabilities?.experimentalApi ?? false,
        optedOut: new Set(capabilities?.optOutNotificationMethods ?? []),
      });
      originator ??= name;
      afterAnswer(() => connection.notify(notify.remoteControlStatusChanged, NO_REMOTE_CONTROL));
      const host = `${os.type()} ${os.release()}; ${os.arch()}`;
      return {
        userAgent: `${originator}/${PROTOCOL_RELEASE} (${host}) unknown (${name}; ${clientVersion})`,
        codexHome: writHome,
        platformFamily: process.platform === "win32" ? "windows" : "unix",
        platformOs: process.platform === "darwin" ? "macos" : process.platform,
        writ: { version },
      };
    },
    initialized: () => {},
  };
}

function isHeaderValue(text: string): boolean {
  return /^[\x20-\x7e\t]+$/.test(text);
}
