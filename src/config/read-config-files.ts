/** Reads the files of a configuration, each by itself: the user's, the one of a project, the operator's. */
import path from "node:path";
import { ConfigError } from "./config-error.ts";
import { type ConfigLayer, readProject } from "./read-layer.ts";
import { readTomlFile, type TomlTable } from "./read-toml-file.ts";
import { readUserTable, type UserTable, userFileOf } from "./read-user-table.ts";

/** What they say; undefined for one that is missing. */
export interface ConfigFiles {
  /** Where there is none, the same as an empty one. */
  readonly user: UserTable;
  readonly project: ConfigLayer | undefined;
  readonly requirements: TomlTable | undefined;
}

/** Reads one kind of file, or nothing where there is none. */
type FileReader<T> = (file: string) => Promise<T | undefined>;

export interface ConfigReaders {
  readonly user: (file: string) => Promise<UserTable>;
  /** Nothing also for a file that says nothing. */
  readonly project: FileReader<ConfigLayer>;
  readonly requirements: FileReader<TomlTable>;
}

/** What becomes of each kind of table, for whoever reads the files in another way. */
export const TABLE_READERS = {
  user: (file: string, table: TomlTable) => readUserTable(file, table),
  // One that says nothing may be the placeholder of a sandbox that runs: it must not stand in for the one above.
  project: async (file: string, table: TomlTable) =>
    Object.keys(table).length > 0 ? readProject(file, table) : undefined,
  requirements: async (_: string, table: TomlTable) => table,
};

/** Read anew each time. */
export const FRESH: ConfigReaders = {
  user: async (file) => readUserTable(file, (await readTomlFile(file)) ?? {}),
  project: fresh(TABLE_READERS.project),
  requirements: fresh(TABLE_READERS.requirements),
};

function fresh<T>(read: (file: string, table: TomlTable) => Promise<T | undefined>): FileReader<T> {
  return async (file) => {
    const table = await readTomlFile(file);
    return table && read(file, table);
  };
}

interface FilePlaces {
  readonly writHome: string;
  readonly folder: string;
  readonly requirements: string;
}

/** Throws on a file that is broken. */
export async function readConfigFiles(
  { writHome, folder, requirements }: FilePlaces,
  readers: ConfigReaders,
): Promise<ConfigFiles> {
  return {
    user: await readers.user(userFileOf(writHome)),
    project: await findProject(folder, readers.project),
    requirements: await readers.requirements(requirements),
  };
}

/**
 * The one project file on the way up. A second one is refused: the nearer may have been written by a
 * command, and must not stand in for the one above.
 */
async function findProject(
  folder: string,
  read: FileReader<ConfigLayer>,
): Promise<ConfigLayer | undefined> {
  const found = await read(path.join(folder, "writ.toml"));
  const above = path.dirname(folder);
  const other = above === folder ? undefined : await findProject(above, read);
  if (found === undefined || other === undefined) return found ?? other;
  const what = `there is "${other.file}" above it, expected one for a project`;
  throw new ConfigError("malformed", `Cannot use "${found.file}": ${what}`);
}
