/** A whole app-server in this process: real settings, real store, and an executor that starts nothing. */
import path from "node:path";
import { onTestFinished } from "vitest";
import { createAgent, createMcpTools, offlineModels } from "../../../../src/agent/index.ts";
import {
  type AppServer,
  createAppServer,
  createEnvironments,
  createMemoryStore,
  openThreadStore,
} from "../../../../src/app-server/index.ts";
import { createConfigLoader } from "../../../../src/config/index.ts";
import { ExecError, type ExecHost } from "../../../../src/exec/index.ts";
import { parseAbsolutePath, uriOfNative } from "../../../../src/policy/index.ts";
import { createSkillSource } from "../../../../src/session/index.ts";
import { scriptedExecutor } from "../../../session/provider/support/scripted-executor.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

export interface FuzzServer {
  readonly server: AppServer;
  readonly folder: string;
  /** What was no refusal. */
  readonly faults: unknown[];
}

/** One for a test. */
export function fuzzServer(): FuzzServer {
  const folder = temporaryFolder();
  const faults: unknown[] = [];
  const executor = scriptedExecutor({ anchors: false });
  executor.fault = new ExecError("unenforceable", "nothing is started here");
  const mcp = createMcpTools({
    ...{ servers: new Map(), executor, env: {}, cwd: uriOfNative(folder) },
    client: { name: "writ", version: "0" },
    confine: () => {
      throw new Error("there are no servers");
    },
  });
  const loader = createConfigLoader();
  const server = createAppServer({
    ...{ executor, mcp, host: hostIn(folder), version: "0" },
    agent: createAgent({ executors: async () => executor, models: offlineModels, tools: [mcp] }),
    environments: createEnvironments({
      local: executor,
      description: { shell: { name: "sh", path: "/bin/sh" } },
      bounds: { ceilings: [], waivers: "allowed" },
    }),
    skills: createSkillSource({
      places: async () => ({ roots: [{ folder, scope: "user" }], disabled: [] }),
      home: folder,
    }),
    store: openThreadStore(parseAbsolutePath(folder)),
    memory: createMemoryStore,
    load: async (at, overrides) => {
      const requirements = path.join(folder, "none.toml");
      const places = { writHome: folder, folder: at, hostname: "host", overrides, requirements };
      return { ...(await loader.load(places)), ceilings: [] };
    },
    cwd: folder,
    variables: {},
    writHome: folder,
    userHome: folder,
    log: (fault) => faults.push(fault),
  });
  onTestFinished(() => server.close());
  return { server, folder, faults };
}

function hostIn(folder: string): ExecHost {
  return {
    env: { PATH: "/usr/bin:/bin", HOME: folder },
    platform: process.platform,
    own: { hidden: [], readOnly: [] },
    records: parseAbsolutePath(path.join(folder, "records")),
    tmpdir: undefined,
    homes: [],
    externalSandbox: "absent",
    bounds: { ceilings: [], roots: "any", waivers: "refused", hostNetwork: "refused" },
  };
}
