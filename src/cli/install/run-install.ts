/** Puts REPL servers into the settings of clients, or takes them out; everything is planned before anything is written. */
import fs from "node:fs";
import path from "node:path";
import { unifiedDiff } from "../../agent/index.ts";
import { visibleLine } from "../../sandbox/index.ts";
import type { CliWorld, CommandInput } from "../command.ts";
import {
  claudePermissions,
  claudePermissionsRemoved,
  claudeServers,
  claudeServersRemoved,
  namesOfOurs,
} from "./claude-servers.ts";
import { codexInstall, codexRemove } from "./codex-install.ts";
import { writeConfigFile } from "./config-file.ts";
import { type FileChange, planJsonChange, planTomlChange } from "./file-change.ts";
import { InstallError } from "./install-error.ts";
import {
  type Client,
  type InstallRequest,
  readInstallRequest,
  serversOf,
} from "./install-request.ts";

/** Runs one request; the answer is the exit status. */
export async function runInstall(input: CommandInput, world: CliWorld): Promise<number> {
  const request = readInstallRequest(input, world);
  try {
    const changes: FileChange[] = [];
    for (const client of request.clients)
      changes.push(...(await planClient(client, request, world)));
    for (const change of changes) carryOut(change, request, world);
    const isDone = !request.dryRun && changes.some(({ next }) => next !== undefined);
    if (isDone) world.out(nextStep(request));
    return 0;
  } catch (error) {
    if (!(error instanceof InstallError)) throw error;
    world.err(`writ: ${visibleLine(error.message)}\n`);
    return 1;
  }
}

function carryOut({ file, next }: FileChange, { dryRun }: InstallRequest, world: CliWorld): void {
  const name = visibleLine(file.path);
  if (next === undefined) {
    world.out(`Nothing to change in ${name}\n`);
  } else if (dryRun) {
    const before = { name: file.text === undefined ? "/dev/null" : name, text: file.text ?? "" };
    world.out(unifiedDiff(before, { name, text: next }));
  } else {
    writeConfigFile(file, next);
    world.out(`Changed ${name}\n`);
  }
}

function nextStep({ clients, languages, remove }: InstallRequest): string {
  const names = clients.map((client) => (client === "codex" ? "Codex" : "Claude")).join(" and ");
  if (remove) return `Sessions of ${names} that already run keep these servers until they end\n`;
  return `Start a new session of ${names} to use ${languages.join(", ")}\n`;
}

async function planClient(
  client: Client,
  request: InstallRequest,
  world: CliWorld,
): Promise<FileChange[]> {
  const { languages, remove } = request;
  const servers = serversOf(request, client);
  if (client === "codex") {
    const file = path.join(codexHome(world), "config.toml");
    return [
      await planTomlChange(file, (settings) =>
        remove ? codexRemove(settings, languages, file) : codexInstall(settings, servers, file),
      ),
    ];
  }
  const { config, settings } = claudeFiles(world);
  if (remove) return planClaudeRemoval(languages, { config, settings });
  return [
    await planJsonChange(config, (value) => claudeServers(value, servers, config)),
    await planJsonChange(settings, (value) => claudePermissions(value, languages, settings)),
  ];
}

/** The permission of a server that is somebody else's stays. */
async function planClaudeRemoval(
  languages: readonly string[],
  { config, settings }: { readonly config: string; readonly settings: string },
): Promise<FileChange[]> {
  let ours: readonly string[] = [];
  const servers = await planJsonChange(config, (value) => {
    ours = namesOfOurs(value, languages, config);
    return claudeServersRemoved(value, languages, config);
  });
  return [
    servers,
    await planJsonChange(settings, (value) => claudePermissionsRemoved(value, ours)),
  ];
}

/** Never made here: without it, Codex has never run, or looks elsewhere. */
function codexHome({ env, home }: CliWorld): string {
  return existing(env.CODEX_HOME || path.join(home, ".codex"), "Codex", "CODEX_HOME");
}

function claudeFiles({ env, home }: CliWorld): { config: string; settings: string } {
  const chosen = env.CLAUDE_CONFIG_DIR;
  const folder = existing(chosen || home, "Claude", "CLAUDE_CONFIG_DIR");
  return {
    config: path.join(folder, ".claude.json"),
    settings: path.join(folder, chosen ? "" : ".claude", "settings.json"),
  };
}

function existing(folder: string, client: string, variable: string): string {
  if (!path.isAbsolute(folder)) {
    throw new InstallError(`Cannot use ${variable} "${folder}": expected an absolute path`);
  }
  if (fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new InstallError(
    `Cannot install into "${folder}": there is no such folder, expected ${client}'s settings. Start ${client} once, or set ${variable}`,
  );
}
