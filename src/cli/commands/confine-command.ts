import type { Command } from "../command.ts";
import { POLICY_OPTIONS } from "../policy/policy-options.ts";
import { POLICY_TAKES } from "../policy/policy-takes.ts";

/** `writ confine`: an MCP server that knows of no sandbox, under the one each call comes with. */
export const confineCommand: Command = {
  name: "confine",
  summary: "Run an MCP server under the policy that its client sends",
  usage: "confine [policy] [-C DIR] [options] -- SERVER [ARG...]",
  help: `Each tool call runs under the sandbox state that it brings; a call without state
is refused. For clients that send none, name one policy for all calls:
  --sandbox MODE             read-only, workspace-write, danger-full-access
  --sandbox-policy JSON      a policy as thread/start takes it
  --sandbox-state-json JSON  the state a client sends with an MCP call
  --profile NAME|FILE        a named profile, or a .toml or .json file
  -C, --cd DIR               the folder the server runs in (default: .)
  --network off|asSent       off: no network, whatever is sent (default: asSent)
  --require-sandbox          refuse calls that waive the sandbox
  --ceiling FILE             a requirements file that bounds every call
  --env NAME                 pass a variable to the server; may be repeated

Speaks MCP on standard input and output, until the input ends. What cannot be
enforced here is refused in the answer to each call.
Exit status: 0; 125 when $WRIT_HOME cannot be made; 2 on bad input.

example: writ confine --env TOKEN -- mcp-server-filesystem .
`,
  options: {
    ...POLICY_OPTIONS,
    network: { type: "string" },
    "require-sandbox": { type: "boolean" },
    ceiling: { type: "string" },
    env: { type: "string", multiple: true },
  },
  takes: { ...POLICY_TAKES, network: ["off", "asSent"], ceiling: "file" },
  rest: "command",
  async run({ flags, positionals }, world) {
    const { confineServer } = await import("../mcp/confine-server.ts");
    return confineServer(flags, positionals, world);
  },
};
