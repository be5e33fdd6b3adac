/**
 * Puts an app-server together: this machine, its threads, its models and its MCP servers.
 *
 * The ceiling binds policies by name where they are chosen; where a command starts
 * nobody knows names any more, so what is left of it there are modes and denies.
 */
import fs from "node:fs";
import path from "node:path";
import {
  type CommandVariables,
  createAgent,
  createAiModels,
  createMcpTools,
  type ModelProvider,
  type Models,
  OFFLINE_CHOICE,
  offlineModels,
} from "../../agent/index.ts";
import {
  type AppServer,
  createAppServer,
  createEnvironments,
  createMemoryStore,
  type LoadConfig,
  openThreadStore,
  ThreadStoreError,
} from "../../app-server/index.ts";
import {
  type Config,
  ConfigError,
  type ConfigLoader,
  createConfigLoader,
  REQUIREMENTS,
} from "../../config/index.ts";
import {
  CORE_VARIABLES,
  createLocalExecutor,
  describeEnvironment,
  type ExecHost,
  makeHome,
  openReceiptStore,
  PACKAGE_ROOT,
} from "../../exec/index.ts";
import { createConfinedServer } from "../../mcp/index.ts";
import {
  type AbsolutePath,
  type Ceiling,
  parseAbsolutePath,
  uriOfNative,
} from "../../policy/index.ts";
import { buildEnvironment, visibleLine } from "../../sandbox/index.ts";
import {
  createSkillSource,
  openSessionStore,
  type SessionStore,
  type SkillSource,
  sweepDead,
} from "../../session/index.ts";
import type { CliWorld, FlagValues } from "../command.ts";
import { execHostOf } from "../exec/exec-host-of.ts";
import { ownHome, readableFolder } from "../policy/bind-flags.ts";
import { GuardedPlaces } from "../skills/guarded-places.ts";
import { skillPlaces, writtenPlaces } from "../skills/skill-places.ts";
import { openDependencies } from "../snapshot/open-dependencies.ts";
import type { AppDoor } from "./app-door.ts";
import { keyVariables } from "./key-variables.ts";

/** Opens the server; it listens nowhere yet. */
export async function openAppServer(
  world: CliWorld,
  flags: FlagValues,
  { reachable, secrets }: AppDoor,
): Promise<AppServer> {
  const home = ownHome(world);
  makeHome(home);
  const folder = parseAbsolutePath(home);
  const loader = createConfigLoader();
  const read = loadingOf(loader, world, flags);
  const config = await read(readableFolder(world.cwd), {});
  let { ceilings } = config;
  // Every turn loads: a ceiling that was lowered holds also for what is let out of its sandbox.
  const load: LoadConfig = async (at, overrides) => {
    const loaded = await read(at, overrides);
    ({ ceilings } = loaded);
    return loaded;
  };
  const [rootless, settings] = [{ ...flags, root: undefined }, [config.user.file]];
  const machine = await execHostOf({ flags: rootless, world, reachable, secrets, settings });
  const guarded = new GuardedPlaces(machine.own.readOnly);
  guarded.add(writtenPlaces(config.settings.skills, world));
  const own = { ...machine.own, readOnly: guarded.paths };
  const host = byModes({ ...machine, own }, () => ceilings);
  const executor = createLocalExecutor({ host, receipts: openReceiptStore(folder), home: folder });
  const { version } = JSON.parse(fs.readFileSync(path.join(PACKAGE_ROOT, "package.json"), "utf8"));
  const environments = createEnvironments({
    ...{ local: executor, bounds: host.bounds },
    description: describeEnvironment(host, { cwd: world.cwd, allowHttp: false }),
  });
  const told = (server: string, chunk: Uint8Array) => tellServer(world, server, chunk);
  const mcp = createMcpTools({
    ...{ servers: config.mcpServers, executor, env: world.env },
    cwd: uriOfNative(world.cwd),
    client: { name: "writ", version },
    stderr: told,
    confine: (name, { command, args, env, cwd }) =>
      createConfinedServer({
        executor,
        bounds: { host, network: "asSent" },
        argv: [command, ...args],
        cwd: uriOfNative(cwd ?? world.cwd),
        env,
        envPolicy: CORE_VARIABLES,
        mode: { kind: "inherit" },
        stderr: (chunk) => told(name, chunk),
        graceMs: GRACE_MS,
      }),
    startup: (update) => server.tellMcpStartup(update),
  });
  const skills = skillsOf(loader, world, guarded);
  const variables = commandVariables(config, world);
  const agent = createAgent({
    executors: (id) => environments.executorOf(id),
    sessions: await openSessions(folder),
    dependencies: openDependencies(config, { home: folder, executor, world }),
    models: modelsOf(config, world),
    tools: [mcp],
    skills,
    variables: variablesOf(config, variables),
  });
  const server = createAppServer({
    ...{ agent, executor, host, environments, mcp, load, skills, version },
    store: openThreadStore(folder),
    memory: createMemoryStore,
    cwd: world.cwd,
    variables,
    writHome: home,
    userHome: world.home,
    log: (fault) => world.err(`writ: ${sentenceOf(fault)}\n`),
  });
  return server;
}

/** A store says itself what is wrong; of anything else the place counts, too. */
function sentenceOf(fault: unknown): string {
  if (fault instanceof ThreadStoreError) return fault.message;
  return fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
}

/** What killed servers left is told as gone from now on. */
async function openSessions(folder: AbsolutePath): Promise<SessionStore> {
  const sessions = openSessionStore(folder);
  await sweepDead(sessions);
  return sessions;
}

/** Every ceiling is read again each time: one that was lowered holds from then on. */
function loadingOf(loader: ConfigLoader, world: CliWorld, { ceiling }: FlagValues): LoadConfig {
  const asked = ceiling === undefined ? [] : [path.resolve(world.cwd, String(ceiling))];
  return async (folder, overrides) => {
    const places = { writHome: ownHome(world), folder, hostname: world.hostname, overrides };
    const config = await loader.load({ ...places, requirements: REQUIREMENTS });
    const own = config.ceiling === undefined ? [] : [config.ceiling];
    const others = await Promise.all(
      asked.map(async (requirements) => {
        const found = (await loader.load({ ...places, requirements })).ceiling;
        if (found !== undefined) return found;
        const what = "there is no such file, expected a requirements file";
        throw new ConfigError("malformed", `Cannot read the ceiling "${requirements}": ${what}`);
      }),
    );
    return { ...config, ceilings: [...own, ...others] };
  };
}

/** Looked for whenever they are needed, in the places that the settings of then say, and closed first. */
function skillsOf(loader: ConfigLoader, world: CliWorld, guarded: GuardedPlaces): SkillSource {
  return createSkillSource({
    places: async (at) => {
      const { skills } = await loader.settings(ownHome(world));
      guarded.add(writtenPlaces(skills, world));
      return skillPlaces(skills, world, at);
    },
    home: world.home,
  });
}

const GRACE_MS = 1_000;

/**
 * A workspace may be anywhere that its client says; what it is called there is not checked again.
 * A list of profiles without the one that confines nothing lets no command out of its sandbox.
 */
function byModes({ bounds, ...host }: ExecHost, ceilings: () => readonly Ceiling[]): ExecHost {
  const mayWaive = ({ allowedProfiles: listed }: Ceiling) =>
    listed === undefined || listed[UNCONFINED] === true;
  return {
    ...host,
    bounds: {
      ...bounds,
      roots: "any",
      get ceilings() {
        return ceilings().map(({ allowedProfiles: _, ...ceiling }) => ceiling);
      },
      get waivers() {
        return ceilings().every(mayWaive) ? bounds.waivers : "refused";
      },
    },
  };
}

const UNCONFINED = ":danger-full-access";

/** What is kept for whoever does not read it. */
const MOST_UNREAD = 1 << 20;

/**
 * What a server prints for people, line by line, so that nobody takes it for ours. Where nobody reads
 * it, it is left out: a server may print without end.
 */
function tellServer({ err }: CliWorld, server: string, chunk: Uint8Array): void {
  if (process.stderr.writableLength > MOST_UNREAD) return;
  for (const line of Buffer.from(chunk).toString().split("\n")) {
    if (line !== "") err(`${server}: ${visibleLine(line)}\n`);
  }
}

/** What commands here get of the variables of this process: what is for providers and servers alone, none does. */
function commandVariables(config: Config, { env }: CliWorld): Record<string, string> {
  const { environment } = config;
  const exclude = [...environment.exclude, ...keyVariables(config)];
  return buildEnvironment({ ...environment, exclude }, env);
}

/** Here the variables that the user's file says, as for every command; elsewhere only those it sets. */
function variablesOf(
  { environment }: Config,
  own: Readonly<Record<string, string>>,
): CommandVariables {
  const here = { envPolicy: null, env: own };
  const there = { envPolicy: CORE_VARIABLES, env: { ...environment.set } };
  return (id) => (id === "local" ? here : there);
}

function modelsOf({ settings }: Config, { env }: CliWorld): Models {
  const providers = [...settings.modelProviders].flatMap(([name, table]): ModelProvider[] => {
    const { baseUrl, name: _, ...settings } = table;
    return baseUrl === undefined ? [] : [{ ...settings, name, baseUrl }];
  });
  const ai = createAiModels({ providers, env });
  return {
    find: (choice) =>
      choice.provider === OFFLINE_CHOICE.provider ? offlineModels.find(choice) : ai.find(choice),
  };
}
