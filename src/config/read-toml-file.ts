import { parse, TomlError } from "smol-toml";
import { ConfigError } from "./config-error.ts";
import { readBoundedFile } from "./read-bounded-file.ts";

export type TomlTable = Readonly<Record<string, unknown>>;

/** The table of a TOML file, or nothing when there is no such file. */
export function readTomlFile(path: string): TomlTable | undefined {
  const text = readBoundedFile(path);
  if (text === undefined) return undefined;
  try {
    return parse(text);
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const where = `${path}:${cause.line}:${cause.column}`;
    const what = cause.message.split("\n")[0] ?? "it is not TOML";
    throw new ConfigError("malformed", `Cannot read "${where}": ${what}`, { cause });
  }
}
