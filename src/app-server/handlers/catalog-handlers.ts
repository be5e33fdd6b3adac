/** What clients ask before they show anything. */
import path from "node:path";
import type { SkillSource } from "../../agent/index.ts";
import { chooseProfile } from "../../config/index.ts";
import { BUILT_IN_PROFILES, canSet } from "../../policy/index.ts";
import { type Handlers, RpcError } from "../../rpc/index.ts";
import type { AppConnection } from "../app-connection.ts";
import type { AppConfig } from "../policy/app-config.ts";
import type { catalogMethods } from "../protocol/catalog-methods.ts";
import { writeSkills } from "../wire/write-skills.ts";
import type { AppParts } from "./app-parts.ts";
import { listModels } from "./list-models.ts";
import { writeConfiguration, writeRequirements } from "./write-configuration.ts";

export interface CatalogParts extends Pick<AppParts, "load" | "cwd"> {
  /** The home of the user, for `~` in profiles. */
  readonly userHome: string;
  readonly skills: SkillSource;
}

/** Handlers of what is listed and read. */
export function catalogHandlers(
  parts: CatalogParts,
): Handlers<typeof catalogMethods, AppConnection> {
  const at = (cwd: string | null | undefined) => parts.load(path.resolve(parts.cwd, cwd ?? ""), {});
  const folders = (cwds: readonly string[] | null | undefined) =>
    cwds && cwds.length > 0 ? cwds : [parts.cwd];
  return {
    accountRead: () => ({ account: null, requiresOpenaiAuth: false, workspaceRouting: null }),
    accountRateLimitsRead: () => {
      throw new RpcError("invalidRequest", "Cannot read rate limits: there is no account here");
    },
    accountBedrockCheckGovCloudRequirements: () => ({ isGovCloud: false, shouldWarn: false }),
    configRead: async ({ cwd, includeLayers }) => {
      const config = await told(() => at(cwd));
      return {
        config: writeConfiguration(config),
        origins: {},
        layers: includeLayers ? [] : null,
      };
    },
    configRequirementsRead: async () => {
      const { ceilings } = await told(() => at(null));
      return {
        supportsIndependentSpeedModes: null,
        requirements: ceilings.length === 0 ? null : writeRequirements(ceilings),
      };
    },
    permissionProfileList: async ({ cwd, cursor, limit }) => {
      const profiles = listProfiles(await told(() => at(cwd)), parts.userHome);
      return pageOfList(profiles, { cursor, limit, what: "permission profiles" });
    },
    modelList: async ({ cursor, limit }) => {
      const models = listModels((await told(() => at(null))).settings);
      return pageOfList(models, { cursor, limit, what: "models" });
    },
    skillsList: async ({ cwds }) => ({
      data: await Promise.all(
        folders(cwds).map(async (cwd) => {
          const found = await told(() => parts.skills.list(path.resolve(parts.cwd, cwd)));
          return writeSkills(cwd, found);
        }),
      ),
    }),
    hooksList: ({ cwds }) => ({
      data: folders(cwds).map((cwd) => ({ cwd, hooks: [], warnings: [], errors: [] })),
    }),
    collaborationModeList: () => ({ data: [] }),
  };
}

/** A configuration that cannot be read is said, as everywhere. */
async function told<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const what = cause instanceof Error ? cause.message : String(cause);
    throw new RpcError("invalidRequest", `failed to load configuration: ${what}`, { cause });
  }
}

function listProfiles(config: AppConfig, home: string) {
  const own = [...config.user.profiles, ...(config.project?.profiles ?? [])];
  const named = [
    ...BUILT_IN_PROFILES.map((id) => ({ id, description: null })),
    ...own.map(([id, { description }]) => ({ id, description: description ?? null })),
  ];
  return named.map((one) => ({ ...one, allowed: isAllowed(config, one.id, home) }));
}

function isAllowed(config: AppConfig, id: string, home: string): boolean {
  try {
    const { profile } = chooseProfile(config, id, home);
    const candidate = { form: "profile", profile, id } as const;
    return config.ceilings.every((ceiling) => canSet(ceiling, candidate).allowed);
  } catch {
    // One that cannot be used is not allowed; whoever asks for it hears why.
    return false;
  }
}

interface ListQuery {
  readonly cursor: string | null | undefined;
  readonly limit: number | null | undefined;
  readonly what: string;
}

/** A cursor is a place in the list. */
function pageOfList<T>(all: readonly T[], { cursor, limit, what }: ListQuery) {
  const from = Number(cursor ?? 0);
  if (!Number.isSafeInteger(from) || from < 0) {
    throw new RpcError("invalidRequest", `invalid cursor: ${cursor}`);
  }
  if (from > all.length) {
    throw new RpcError("invalidRequest", `cursor ${from} exceeds total ${what} ${all.length}`);
  }
  const to = from + Math.max(limit ?? all.length, 1);
  return { data: all.slice(from, to), nextCursor: to < all.length ? String(to) : null };
}
