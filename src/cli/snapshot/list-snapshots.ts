/** Snapshots that are kept, for a person or as JSON. Names in them are the user's own, and still shown a line each. */
import { parseAbsolutePath } from "../../policy/index.ts";
import { visibleLine } from "../../sandbox/index.ts";
import { type ListedSnapshot, openSnapshotReader } from "../../session/index.ts";
import type { CliWorld, FlagValues } from "../command.ts";
import { sayNone } from "../help/say-none.ts";
import { ownHome } from "../policy/bind-flags.ts";
import { exitStatusOf } from "./exit-status-of.ts";

const COLUMNS = 80;
const MEGABYTE = 1e6;

/** Prints all of them; the answer is the exit status. */
export function listSnapshots({ json }: FlagValues, world: CliWorld): Promise<number> {
  return exitStatusOf(world, () => {
    const reader = openSnapshotReader(parseAbsolutePath(ownHome(world)));
    const all = reader?.list() ?? [];
    reader?.close();
    if (json) world.out(`${JSON.stringify(all, null, 2)}\n`);
    else if (all.length > 0) world.out(table(all));
    else sayNone("no snapshot is there", world);
    return 0;
  });
}

function table(all: readonly ListedSnapshot[]): string {
  const rows = all.map(({ id, createdAt, bytes, uses, dependencies }) => [
    id,
    new Date(createdAt).toISOString().slice(0, 16).replace("T", " "),
    bytes === null ? "" : (bytes / MEGABYTE).toFixed(1),
    String(uses),
    dependencies.join(" "),
  ]);
  return [["id", "built (UTC)", "MB", "uses", "dependencies"], ...rows].map(line).join("");
}

function line([id = "", built = "", size = "", uses = "", what = ""]: string[]): string {
  const start = [id.padEnd(16), built.padEnd(16), size.padStart(7), uses.padStart(4)];
  return `${visibleLine(`${start.join("  ")}  ${what}`, COLUMNS)}\n`;
}
