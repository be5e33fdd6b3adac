/**
 * One settings file, and what it is to become.
 *
 * The new text is read again before anybody writes it: it has to say what the edits mean, and
 * about everything else what the old one said.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { ConfigError, isTable, readTomlFile } from "../../config/index.ts";
import { type ConfigFile, readConfigFile } from "./config-file.ts";
import { InstallError } from "./install-error.ts";
import { editValue, type SettingsEdit, saysTheSame } from "./settings-edit.ts";
import { editJson } from "./text/edit-json.ts";
import { editToml } from "./text/edit-toml.ts";

export interface FileChange {
  readonly file: ConfigFile;
  /** The whole new text; nothing when the file stays as it is. */
  readonly next: string | undefined;
}

/** Plans the change of a TOML file. `edits` decides from what the file says. */
export async function planTomlChange(
  file: string,
  edits: (settings: unknown) => readonly SettingsEdit[],
): Promise<FileChange> {
  const found = readConfigFile(file);
  const settings = (await readTomlFile(file)) ?? {};
  return planned(found, found.text ?? "", {
    settings,
    edits: edits(settings),
    edit: editToml,
    parse: parseToml,
  });
}

/** Plans the change of a JSON file. */
export async function planJsonChange(
  file: string,
  edits: (settings: unknown) => readonly SettingsEdit[],
): Promise<FileChange> {
  const found = readConfigFile(file);
  const text = found.text ?? "{}\n";
  const settings = jsonIn(text, file);
  return planned(found, text, {
    settings,
    edits: edits(settings),
    edit: editJson,
    parse: async (next) => JSON.parse(next),
  });
}

interface Plan {
  readonly settings: unknown;
  readonly edits: readonly SettingsEdit[];
  readonly edit: (text: string, edit: SettingsEdit) => string;
  readonly parse: (text: string) => Promise<unknown>;
}

async function planned(
  file: ConfigFile,
  text: string,
  { settings, edits, edit, parse }: Plan,
): Promise<FileChange> {
  if (edits.length === 0) return { file, next: undefined };
  const next = edits.reduce(edit, text);
  const meant = edits.reduce(editValue, settings);
  if (!saysTheSame(await parse(next).catch(() => undefined), meant, edits)) {
    const places = [...new Set(edits.map((one) => one.path.slice(0, 2).join(".")))].join(", ");
    throw new InstallError(
      `Cannot change "${file.path}": ${places} is written in a way that cannot be changed safely, expected tables of their own. Change it by hand`,
    );
  }
  return { file, next };
}

function jsonIn(text: string, file: string): unknown {
  try {
    const settings: unknown = JSON.parse(text);
    if (isTable(settings)) return settings;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError("malformed", `Cannot read "${file}": ${why}`, { cause });
  }
  throw new ConfigError("malformed", `Cannot read "${file}": expected a JSON object`);
}

/** Through a file of this user alone: the parser of settings reads files. */
async function parseToml(text: string): Promise<unknown> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "writ-install-"));
  try {
    const file = path.join(folder, "config.toml");
    fs.writeFileSync(file, text, { mode: 0o600 });
    return await readTomlFile(file);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
