import { ConfigError } from "./config-error.ts";
import { readBoundedFile } from "./read-bounded-file.ts";

export type TomlTable = Readonly<Record<string, unknown>>;

/** The table of a TOML file, or nothing when there is no such file; then no parser is loaded either. */
export async function readTomlFile(path: string): Promise<TomlTable | undefined> {
  const text = readBoundedFile(path);
  if (text === undefined) return undefined;
  const { parse, TomlError } = await import("smol-toml");
  try {
    return parse(text);
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const where = `${path}:${cause.line}:${cause.column}`;
    const what = cause.message.split("\n")[0] ?? "it is not TOML";
    throw new ConfigError("malformed", `Cannot read "${where}": ${what}`, { cause });
  }
}
