/** `writ snapshot remove`: forgets snapshots and removes what they hold. */
import { type AbsolutePath, parseAbsolutePath } from "../../policy/index.ts";
import {
  LayerFolders,
  openSnapshotReader,
  openSnapshotStore,
  SessionError,
  type SnapshotStore,
} from "../../session/index.ts";
import { type CliWorld, type FlagValues, UsageError } from "../command.ts";
import { ownHome } from "../policy/bind-flags.ts";
import { exitStatusOf } from "./exit-status-of.ts";

/** All of them are named before any is removed; the answer is the exit status. */
export function removeSnapshots(
  { all }: FlagValues,
  names: readonly string[],
  world: CliWorld,
): Promise<number> {
  if (Boolean(all) === names.length > 0) {
    const what = all ? "found --all and an id" : "no id was given";
    throw new UsageError(`Cannot remove snapshots: ${what}, expected ids, or --all alone`);
  }
  const home = parseAbsolutePath(ownHome(world));
  return exitStatusOf(world, async () => {
    if (!isKept(home)) {
      for (const name of names) throw noneOf(name, 0);
      return 0;
    }
    const store = openSnapshotStore(home);
    try {
      const known = store.list().map(({ id }) => id);
      const ids = all ? known : names.map((name) => idOf(name, known));
      for (const id of ids) await remove(id, { store, home });
      return 0;
    } finally {
      store.close();
    }
  });
}

function isKept(home: AbsolutePath): boolean {
  const reader = openSnapshotReader(home);
  reader?.close();
  return reader !== undefined;
}

/** By the beginning of an id, where it is that of one. */
function idOf(name: string, known: readonly string[]): string {
  const found = known.filter((id) => name !== "" && id.startsWith(name));
  const [id] = found;
  if (id !== undefined && found.length === 1) return id;
  throw noneOf(name, found.length);
}

function noneOf(name: string, count: number): SessionError {
  const what = count === 0 ? "there is no such snapshot" : `${count} begin like that`;
  return new SessionError("notFound", `Cannot remove "${name}": ${what}, expected the id of one`);
}

interface Kept {
  readonly store: SnapshotStore;
  readonly home: AbsolutePath;
}

/** Its row goes first: then no sandbox starts from it. What is left of its folder goes with the next build. */
async function remove(id: string, { store, home }: Kept): Promise<void> {
  if (store.remove(id) === "used") {
    const what = "sandboxes use it, expected none. End their threads first";
    throw new SessionError("exists", `Cannot remove "${id}": ${what}`);
  }
  await new LayerFolders(home).remove(id);
}
