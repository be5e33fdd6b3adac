/** How the flags of a server that wants to know who connects are spelled and explained. */
import type { ParseArgsOptionsConfig } from "node:util";
import type { Command } from "../command.ts";

export const AUTH_OPTIONS = {
  "ws-auth": { type: "string" },
  "ws-token-file": { type: "string" },
  "ws-token-sha256": { type: "string" },
  "ws-shared-secret-file": { type: "string" },
  "ws-issuer": { type: "string" },
  "ws-audience": { type: "string" },
  "ws-max-clock-skew-seconds": { type: "string" },
} as const satisfies ParseArgsOptionsConfig;

export const AUTH_TAKES: NonNullable<Command["takes"]> = {
  "ws-auth": ["capability-token", "signed-bearer-token"],
  "ws-token-file": "file",
  "ws-shared-secret-file": "file",
};

export const AUTH_HELP = `  --ws-auth capability-token with --ws-token-file FILE or --ws-token-sha256 HEX
  --ws-auth signed-bearer-token with --ws-shared-secret-file FILE,
           [--ws-issuer ISS] [--ws-audience AUD] [--ws-max-clock-skew-seconds S]
`;
