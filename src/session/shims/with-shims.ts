/**
 * A provider whose sandboxes have shims in them before the first command runs.
 *
 * Only whoever wraps a provider has them: nothing in the environment, in a policy
 * or in a workspace switches them on.
 */
import type { SandboxIntent } from "../../exec/index.ts";
import type { ProvidedSandbox } from "../provider/provided-sandbox.ts";
import type { SandboxProvider } from "../provider/sandbox-provider.ts";
import { pathWith, placeShims, type ShimPlace } from "./place-shims.ts";
import { type Shim, shimsFor } from "./shim.ts";

const NEVER = new AbortController().signal;

/** Wraps a provider so that programs of these names are shims. `gh` has answers, others refuse. */
export function withShims(provider: SandboxProvider, names: readonly string[]): SandboxProvider {
  const shims = shimsFor(names);
  return {
    ...provider,
    ...{ name: provider.name, keepsWorkspace: provider.keepsWorkspace },
    create: async (request) => shimmed(await provider.create(request), shims),
    get: async (id, request) => shimmed(await provider.get(id, request), shims),
    list: () => provider.list(),
  };
}

/** A sandbox in which nothing runs without its shims. */
function shimmed(sandbox: ProvidedSandbox, shims: readonly Shim[]): ProvidedSandbox {
  let placing: Promise<ShimPlace> | undefined;
  const place = (intent: SandboxIntent) => {
    placing ??= placeShims(sandbox, shims, { intent, signal: NEVER }).catch((error: unknown) => {
      // Whoever comes next may try again.
      placing = undefined;
      throw error;
    });
    return placing;
  };
  type Asked = { readonly intent: SandboxIntent; readonly env: Readonly<Record<string, string>> };
  const among = async <T extends Asked>(request: T): Promise<T> => {
    const { env } = request;
    const PATH = pathWith(await place(request.intent), env.PATH);
    return { ...request, env: { ...env, PATH } };
  };
  return {
    ...{ id: sandbox.id, cwd: sandbox.cwd, boundDigest: sandbox.boundDigest },
    get expiresAt() {
      return sandbox.expiresAt;
    },
    get shelf() {
      return sandbox.shelf;
    },
    probe: (signal) => sandbox.probe(signal),
    digestOf: (intent) => sandbox.digestOf(intent),
    isWithin: (intent, base) => sandbox.isWithin(intent, base),
    runCommand: async (request) => sandbox.runCommand(await among(request)),
    startProcess: async (request) => sandbox.startProcess(await among(request)),
    getCommand: (id) => sandbox.getCommand(id),
    domain: (port) => sandbox.domain(port),
    mkDir: (path, under) => sandbox.mkDir(path, under),
    writeFiles: (files, under) => sandbox.writeFiles(files, under),
    remove: (paths, under) => sandbox.remove(paths, under),
    readFileToBuffer: (path, under) => sandbox.readFileToBuffer(path, under),
    listDir: (path, under) => sandbox.listDir(path, under),
    extendTimeout: (ms) => sandbox.extendTimeout(ms),
    stop: () => sandbox.stop(),
  };
}
