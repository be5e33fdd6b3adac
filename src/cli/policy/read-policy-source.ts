/** Reads a policy from the sources that are documents: a client's state, a policy, a profile. */
import path from "node:path";
import {
  type Config,
  chooseProfile,
  defaultProfile,
  readBoundedFile,
  readTomlFile,
} from "../../config/index.ts";
import {
  namedProfile,
  type PermissionProfile,
  profileOfPolicy,
  readCamelPolicy,
  readCanonicalProfile,
  readProfileTable,
  readSandboxState,
} from "../../policy/index.ts";
import { type CliWorld, UsageError } from "../command.ts";
import type { AskedPolicy } from "./asked-policy.ts";
import { isProfileFile, POLICY_SOURCES } from "./policy-sources.ts";

export interface PolicySource {
  readonly text: string;
  readonly world: CliWorld;
  readonly config: Config;
}

/** Reads the document that a flag holds or names. */
export async function readPolicySource(
  source: "sandbox-state-json" | "sandbox-policy" | "profile",
  { text, world, config }: PolicySource,
): Promise<AskedPolicy> {
  switch (source) {
    case "sandbox-state-json": {
      const state = readSandboxState(await parseJson(text, `--${source}`));
      return { profile: state.profile, workspaceRoots: [], state };
    }
    case "sandbox-policy":
      return plain(profileOfPolicy(readCamelPolicy(await parseJson(text, `--${source}`))));
    case "profile":
      return isProfileFile(text)
        ? profileFile(path.resolve(world.cwd, text), world)
        : chooseProfile(config, text, world.home);
  }
}

async function profileFile(file: string, world: CliWorld): Promise<AskedPolicy> {
  if (file.endsWith(".json")) {
    const value = await parseJson(readText(file), `"${file}"`);
    return plain(readCanonicalProfile(value, file));
  }
  const value = await readTomlFile(file);
  if (value === undefined) throw new UsageError(`Cannot read "${file}": there is no such file`);
  const tables = new Map([[file, readProfileTable(value, file)]]);
  return namedProfile(file, { tables, home: world.home });
}

/** The policy that the configuration files choose. Throws where none does. */
export function configuredDefault(world: CliWorld, config: Config): AskedPolicy {
  const chosen = defaultProfile(config, world.home);
  if (chosen !== undefined) return chosen;
  const flags = POLICY_SOURCES.map((name) => `--${name}`).join(", ");
  throw new UsageError(
    `Cannot choose a policy: none was given, expected one of ${flags}, or default_permissions in "${config.user.file}"`,
  );
}

function plain(profile: PermissionProfile): AskedPolicy {
  return { profile, workspaceRoots: [] };
}

/** Loaded only when there is JSON to read: transports come with it. */
async function parseJson(text: string, what: string): Promise<unknown> {
  const { jsonOf } = await import("./json-of.ts");
  return jsonOf(text, what);
}

function readText(file: string): string {
  const text = readBoundedFile(file);
  if (text !== undefined) return text;
  throw new UsageError(`Cannot read "${file}": there is no such file`);
}
