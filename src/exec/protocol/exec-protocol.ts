import { protocol } from "../../rpc/index.ts";
import { anchorMethods } from "./anchor-methods.ts";
import { environmentMethods } from "./environment-methods.ts";
import { fileMethods, fileNotifications } from "./file-methods.ts";
import { httpMethods, httpNotifications } from "./http-methods.ts";
import { processMethods, processNotifications } from "./process-methods.ts";
import { sessionMethods } from "./session-methods.ts";

/** Everything a client and an exec-server may say to each other. */
export const execProtocol = protocol({
  name: "exec-server",
  summary: "Run commands and use files on another machine, under an intent that it enforces.",
  toServer: {
    session: sessionMethods,
    environment: environmentMethods,
    process: processMethods,
    files: fileMethods,
    http: httpMethods,
    anchor: anchorMethods,
  },
  toClient: { process: processNotifications, files: fileNotifications, http: httpNotifications },
});
