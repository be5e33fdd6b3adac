/** Where settings were looked for, what nothing heeds in them, and what is wrong with them. */
import { existsSync, mkdtempSync, rmdirSync, statSync } from "node:fs";
import path from "node:path";
import {
  type Config,
  ConfigError,
  chooseProfile,
  defaultProfile,
  loadConfig,
  REQUIREMENTS,
  type UnknownKey,
} from "../../config/index.ts";
import { PolicyError, parseAbsolutePath } from "../../policy/index.ts";
import { type CliWorld, UsageError } from "../command.ts";
import { ownHome } from "./bind-flags.ts";

export interface SettingsReport {
  readonly places: readonly SettingsPlace[];
  readonly unknownKeys: readonly UnknownKey[];
  /** Why no command that needs the settings runs. */
  readonly problem?: string;
}

export interface SettingsPlace {
  readonly whose: "user" | "project" | "operator";
  /** The file, or where it would be. */
  readonly place: string;
  readonly found: boolean;
}

/** Loads the settings as a command in this folder would. A broken one is an answer here. */
export async function settingsReport(world: CliWorld): Promise<SettingsReport> {
  const folder = path.resolve(world.cwd);
  let places = placesOf(folder, "$WRIT_HOME/config.toml");
  try {
    const writHome = ownHome(world);
    places = placesOf(folder, path.join(writHome, "config.toml"));
    const { hostname } = world;
    const config = await loadConfig({ writHome, folder, requirements: REQUIREMENTS, hostname });
    places = placesOf(folder, config.user.file, config.project?.file);
    refuseProfiles(config, world);
    refuseHome(writHome);
    await refuseReceipts(writHome);
    await refuseDependencies(config);
    return { places, unknownKeys: config.unknownKeys };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { places, unknownKeys: [], problem: error.message };
  }
}

/** A file that can be read may still hold what no command can be run under. */
function refuseProfiles(config: Config, { home }: CliWorld): void {
  const names = [config.user, config.project].flatMap((layer) => [
    ...(layer?.profiles.keys() ?? []),
  ]);
  for (const name of names) chooseProfile(config, name, home);
  defaultProfile(config, home);
}

/** Every run leaves a receipt; where none can be kept, nothing runs. */
function refuseHome(home: string): void {
  const there = nearest(home);
  if (statSync(there).isDirectory() && isWritable(there)) return;
  const what = `"${there}" is no folder that this user can write, expected one`;
  throw new UsageError(`Cannot keep anything in "${home}": ${what}. Set WRIT_HOME to one`);
}

/** Looked at and not made: a store that is damaged is said before a command is asked for. */
async function refuseReceipts(home: string): Promise<void> {
  const { openReceiptReader, ReceiptStoreError } = await import("../../exec/index.ts");
  try {
    openReceiptReader(parseAbsolutePath(home)).close();
  } catch (error) {
    throw error instanceof ReceiptStoreError ? new UsageError(error.message) : error;
  }
}

/** The folder itself, or what is there of the way to it. */
function nearest(place: string): string {
  return existsSync(place) || place === path.dirname(place) ? place : nearest(path.dirname(place));
}

/** Tried, since a file system may refuse what its modes allow; nothing is left of it. */
function isWritable(folder: string): boolean {
  try {
    rmdirSync(mkdtempSync(path.join(folder, ".writ-")));
    return true;
  } catch {
    return false;
  }
}

/** They are read by whoever installs them; most commands never load that. */
async function refuseDependencies(config: Config): Promise<void> {
  if (Object.keys(config.dependencies).length === 0) return;
  const { dependenciesIn } = await import("../snapshot/open-dependencies.ts");
  dependenciesIn(config);
}

function placesOf(folder: string, user: string, project?: string): readonly SettingsPlace[] {
  return [
    { whose: "user", place: user, found: existsSync(user) },
    {
      whose: "project",
      place: project ?? `writ.toml in ${folder} or above`,
      found: project !== undefined,
    },
    { whose: "operator", place: REQUIREMENTS, found: existsSync(REQUIREMENTS) },
  ];
}

function isRefusal(error: unknown): error is Error {
  return [ConfigError, PolicyError, UsageError].some((kind) => error instanceof kind);
}
