import { type Command, UsageError } from "../command.ts";

/** `writ snapshot`: what sandboxes start from, built ahead, listed and removed. */
export const snapshotCommand: Command = {
  name: "snapshot",
  summary: "Build, list or remove the snapshots that sandboxes start from",
  usage: "snapshot build [--force] | list [--json] | remove ID...|--all",
  help: `  build                      install what [dependencies] of the settings asks
                             for, unless a fresh snapshot exists; print its id
    --force                  build even then
  list                       all snapshots, the newest first
    --json                   an array: id, profileHash, provider, runtime,
                             createdAt, dependencies, bytes, uses
  remove ID...               remove some, by id or the beginning of one; refused
                             for a snapshot that a sandbox uses
    --all                    remove all

You need not build ahead: the first tool that needs a sandbox builds it.
Exit status 1: it was not built or not removed. 2: bad input.

example: writ snapshot build
`,
  options: {
    force: { type: "boolean" },
    json: { type: "boolean" },
    all: { type: "boolean" },
  },
  verbs: ["build", "list", "remove"],
  async run({ flags, positionals }, world) {
    const [verb, ...rest] = positionals;
    refuseOthers(verb, flags, verb === "remove" ? [] : rest);
    switch (verb) {
      case "build": {
        const { buildSnapshot } = await import("../snapshot/build-snapshot.ts");
        return buildSnapshot(flags, world);
      }
      case "list": {
        const { listSnapshots } = await import("../snapshot/list-snapshots.ts");
        return listSnapshots(flags, world);
      }
      case "remove": {
        const { removeSnapshots } = await import("../snapshot/remove-snapshots.ts");
        return removeSnapshots(flags, rest, world);
      }
      case undefined:
        throw new UsageError(
          "Cannot use snapshot: no verb was given, expected build, list or remove",
        );
      default:
        throw new UsageError(
          `Cannot run "snapshot ${verb}": expected build, list or remove after it`,
        );
    }
  },
};

const FLAG_OF: Readonly<Record<string, string>> = { build: "force", list: "json", remove: "all" };

function refuseOthers(verb: string | undefined, flags: object, rest: readonly string[]): void {
  const own = verb === undefined ? undefined : FLAG_OF[verb];
  if (own === undefined) return;
  const stranger = Object.keys(flags).find((name) => name !== own);
  if (stranger !== undefined) {
    throw new UsageError(`Cannot use --${stranger} with "snapshot ${verb}": expected --${own}`);
  }
  const [unexpected] = rest;
  if (unexpected === undefined) return;
  throw new UsageError(`Cannot use "${unexpected}": expected nothing after "snapshot ${verb}"`);
}
