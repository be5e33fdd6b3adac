import type { Command } from "../command.ts";
import { AUTH_HELP, AUTH_OPTIONS, AUTH_TAKES } from "../exec/auth-options.ts";

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
${AUTH_HELP}
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
    ...AUTH_OPTIONS,
  },
  takes: {
    ceiling: "file",
    ...AUTH_TAKES,
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
