import { type Command, UsageError } from "../command.ts";

/** `writ receipts`: what was enforced on past runs, all of them or one. */
export const receiptsCommand: Command = {
  name: "receipts",
  summary: "List what was enforced on past runs, or show one of them",
  usage: "receipts [show ID] [--thread ID] [--limit N] [--json]",
  help: `  --thread ID                only runs of this thread
  --limit N                  at most the newest N (default: 20)
  --json                     an array of receipts; one receipt for show

ID is a receipt's id or the end of it, as the list shows it. Receipts are kept
in $WRIT_HOME, up to 10,000 of them or 64 MiB; then the oldest go.
Exit status 1: no such receipt, or they cannot be read. 2: bad input.

example: writ receipts show 7Q2M4XKD
`,
  options: {
    thread: { type: "string" },
    limit: { type: "string" },
    json: { type: "boolean" },
  },
  verbs: ["show"],
  async run({ flags, positionals }, world) {
    const [verb, id, ...more] = positionals;
    const { listReceipts, showReceipt } = await import("../list-receipts.ts");
    if (verb === undefined) return listReceipts(flags, world);
    if (verb !== "show" || more.length > 0) {
      throw new UsageError(`Cannot use "${more[0] ?? verb}": expected nothing, or show and an id`);
    }
    return showReceipt(id, flags, world);
  },
};
