import { type Command, UsageError } from "../command.ts";

/** `writ sessions`: the sandboxes of threads that are kept, and what is known of each. */
export const sessionsCommand: Command = {
  name: "sessions",
  summary: "List the sandboxes that threads have, and what runs in them",
  usage: "sessions [--json]",
  help: `  --json                     an array: id, thread, provider, state, boundDigest,
                             profileDigest, ageMs, liveWork

The last used comes first. A session ends with its process. Sessions that are
over are kept in $WRIT_HOME for the last 1,000 threads.
Exit status 1: the list cannot be read. 2: bad input.

example: writ sessions --json
`,
  options: { json: { type: "boolean" } },
  async run({ flags, positionals }, world) {
    const [unexpected] = positionals;
    if (unexpected !== undefined) {
      throw new UsageError(`Cannot use "${unexpected}": expected no argument`);
    }
    const { listSessions } = await import("../list-sessions.ts");
    return listSessions(flags, world);
  },
};
