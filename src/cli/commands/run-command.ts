import { type Command, type FlagValues, UsageError } from "../command.ts";
import { POLICY_HELP, POLICY_OPTIONS, RUN_HELP, RUN_OPTIONS } from "../policy/policy-options.ts";
import { POLICY_TAKES } from "../policy/policy-takes.ts";

/** `writ run`: the command, under the policy, with the terminal it was given. */
export const runCommand: Command = {
  name: "run",
  summary: "Run a command under a policy",
  usage: "run [policy] [-C DIR] [options] -- COMMAND [ARG...]",
  help: `${POLICY_HELP}${RUN_HELP}  --receipt FILE             write what was enforced and denied, as JSON
  --on ADDRESS               run it elsewhere: ws://HOST:PORT or unix:///PATH
  --token-file, --sign FILE  the server's token; a private key to sign with

Exit status: that of the command (128 + n after signal n); 124 when a limit
ended it; 125 when the sandbox could not be built and nothing ran; 127 when
there is no such program in it, or it cannot be executed; 2 on bad input.

example: writ run --sandbox workspace-write -- npm test
`,
  options: {
    ...POLICY_OPTIONS,
    ...RUN_OPTIONS,
    receipt: { type: "string" },
    on: { type: "string" },
    "token-file": { type: "string" },
    sign: { type: "string" },
  },
  takes: { ...POLICY_TAKES, receipt: "file", "token-file": "file", sign: "file" },
  rest: "command",
  async run({ flags, positionals }, world) {
    if (flags.on !== undefined) {
      refuseNoAddress(String(flags.on));
      const { runOnExecutor } = await import("../exec/run-on-executor.ts");
      return runOnExecutor(flags, positionals, world);
    }
    refuseAlone(flags);
    const { runUnderPolicy } = await import("../run-under-policy.ts");
    return runUnderPolicy(flags, positionals, world);
  },
};

function refuseNoAddress(text: string): void {
  if (/^(wss?:\/\/.|unix:\/\/\/)/.test(text)) return;
  const expected = "ws://HOST:PORT, wss://HOST or unix:///PATH";
  throw new UsageError(`Cannot use --on "${text}": it is no address, expected ${expected}`);
}

function refuseAlone(flags: FlagValues): void {
  for (const flag of ["token-file", "sign"]) {
    if (flags[flag] === undefined) continue;
    throw new UsageError(
      `Cannot use --${flag}: there is no --on, expected the address of a server`,
    );
  }
}
