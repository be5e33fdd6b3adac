import { readFileSync } from "node:fs";
import { parse, TomlError } from "smol-toml";
import { ConfigError } from "./config-error.ts";

/** A configuration file takes kilobytes; more is a mistake or an attack. */
const MAX_BYTES = 1024 * 1024;

export type TomlTable = Readonly<Record<string, unknown>>;

/** The table of a TOML file, or nothing when there is no such file. */
export function readTomlFile(path: string): TomlTable | undefined {
  const text = readText(path);
  if (text === undefined) return undefined;
  if (text.length > MAX_BYTES) {
    throw new ConfigError(
      "malformed",
      `Cannot read "${path}": it is larger than ${MAX_BYTES} bytes`,
    );
  }
  try {
    return parse(text);
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const where = `${path}:${cause.line}:${cause.column}`;
    const what = cause.message.split("\n")[0] ?? "it is not TOML";
    throw new ConfigError("malformed", `Cannot read "${where}": ${what}`, { cause });
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw new ConfigError("unreadable", `Cannot read "${path}": ${String(cause)}`, { cause });
  }
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR";
}
