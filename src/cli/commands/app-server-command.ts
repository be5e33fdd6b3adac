import type { Command } from "../command.ts";

/** How long what was written may take to get out after the end. */
const UNREAD_MS = 3_000;

/** `writ app-server`: threads for clients of Codex's protocol, each under one policy. */
export const appServerCommand: Command = {
  name: "app-server",
  summary: "Serve threads to editors and other clients, each under its policy",
  usage: "app-server [--listen ADDRESS] [options]",
  help: `  --listen ADDRESS  stdio:// (default), ws://IP:PORT, unix://PATH, unix:// (a
                    socket in $WRIT_HOME/app-server-control) or off
  --ceiling FILE    a requirements file that bounds every policy
  --ws-auth capability-token with --ws-token-file FILE or --ws-token-sha256 HEX
  --ws-auth signed-bearer-token with --ws-shared-secret-file FILE,
           [--ws-issuer ISS] [--ws-audience AUD] [--ws-max-clock-skew-seconds S]

Speaks version 2 of the protocol of Codex's app-server: one JSON message a line,
or a WebSocket message. Prints on standard error where it listens. An address
that other machines reach needs --ws-auth. SIGTERM, or the end of the input,
ends the server in good order; a second signal ends it at once.
Exit status: 0; 1 when it cannot listen there, or cannot read a file that it
keeps in $WRIT_HOME; 125 when $WRIT_HOME cannot be made; 2 on bad input.

example: writ app-server --listen ws://127.0.0.1:4500
`,
  options: {
    listen: { type: "string" },
    ceiling: { type: "string" },
    "ws-auth": { type: "string" },
    "ws-token-file": { type: "string" },
    "ws-token-sha256": { type: "string" },
    "ws-shared-secret-file": { type: "string" },
    "ws-issuer": { type: "string" },
    "ws-audience": { type: "string" },
    "ws-max-clock-skew-seconds": { type: "string" },
  },
  takes: {
    ceiling: "file",
    "ws-auth": ["capability-token", "signed-bearer-token"],
    "ws-token-file": "file",
    "ws-shared-secret-file": "file",
  },
  async run(input, world) {
    const { serveApp } = await import("../app/serve-app.ts");
    const { openAppServer } = await import("../app/open-app-server.ts");
    const { stopSignal } = await import("../exec/stop-signal.ts");
    const status = await serveApp(input, world, {
      open: openAppServer,
      stdio: { input: process.stdin, output: process.stdout },
      stopped: stopSignal,
    });
    // Standard output cannot be destroyed: what nobody reads of it would hold the process for ever.
    setTimeout(() => process.exit(status), UNREAD_MS).unref();
    return status;
  },
};
