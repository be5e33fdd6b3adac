/** How the policy flags are spelled and explained; apart from their reading, so that help is cheap. */
import type { ParseArgsOptionsConfig } from "node:util";

export const POLICY_OPTIONS = {
  "sandbox-state-json": { type: "string" },
  sandbox: { type: "string" },
  "sandbox-policy": { type: "string" },
  profile: { type: "string" },
  cd: { type: "string", short: "C" },
} as const satisfies ParseArgsOptionsConfig;

export const POLICY_HELP = `  --sandbox MODE             read-only, workspace-write, danger-full-access
  --sandbox-policy JSON      a policy as thread/start takes it
  --sandbox-state-json JSON  the state a client sends with an MCP call
  --profile NAME|FILE        a named profile, or a .toml or .json file
  -C, --cd DIR               the workspace folder to work in (default: .)
`;

export const ROOT_HELP = `  --add-dir DIR              one more workspace folder; may be repeated
`;

export const RUN_OPTIONS = {
  "add-dir": { type: "string", multiple: true },
  network: { type: "boolean" },
  tty: { type: "boolean" },
  timeout: { type: "string" },
  "external-sandbox": { type: "boolean" },
} as const satisfies ParseArgsOptionsConfig;

export const RUN_HELP = `${ROOT_HELP}  --network                  let the command use the network
  --tty                      give the command a terminal of its own
  --timeout S                end the command after S seconds
  --external-sandbox         vouch for the sandbox that an external policy names
`;
