/** Speaks `fs/*` to the file operations of this host, over a wire in memory. */
import path from "node:path";
import { onTestFinished } from "vitest";
import type { ExecHost } from "../../../../src/exec/exec-host.ts";
import { createLocalFiles } from "../../../../src/exec/files/create-local-files.ts";
import { fileMethods } from "../../../../src/exec/protocol/file-methods.ts";
import { execDialect } from "../../../../src/exec/server/exec-dialect.ts";
import { createFileConnection } from "../../../../src/exec/server/file-connection.ts";
import { fileHandlers, type HasFiles } from "../../../../src/exec/server/files/file-handlers.ts";
import { parseAbsolutePath, uriOfNative } from "../../../../src/policy/index.ts";
import {
  createMemoryPair,
  createPeer,
  createRouter,
  type Peer,
} from "../../../../src/rpc/index.ts";
import { type Rule, wireOf } from "../../../policy/support/profiles.ts";
import { RawWire } from "../../../rpc/support/raw-wire.ts";

export interface WireAnswer {
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface FileClient {
  call(method: string, params: Record<string, unknown>): Promise<WireAnswer>;
  /** The next message that is no answer. */
  notified(): Promise<unknown>;
  close(): void;
}

/** A host that allows everything unless told otherwise. */
export function hostFor(bounds: Partial<ExecHost["bounds"]> = {}, hidden: string[] = []): ExecHost {
  return {
    env: { HOME: "/nobody" },
    platform: "linux",
    own: { hidden: hidden.map(parseAbsolutePath), readOnly: [] },
    records: parseAbsolutePath("/nobody/records"),
    tmpdir: undefined,
    homes: [],
    externalSandbox: "absent",
    bounds: { ceilings: [], roots: "any", waivers: "allowed", hostNetwork: "allowed", ...bounds },
  };
}

export function fileClient(host: ExecHost = hostFor()): FileClient {
  const [near, far] = createMemoryPair();
  const router = createRouter<typeof fileMethods, HasFiles>({
    methods: fileMethods,
    handlers: fileHandlers(createLocalFiles(host)),
  });
  const faults: unknown[] = [];
  const peer = createPeer<HasFiles>({
    transport: far,
    dialect: execDialect,
    log: (fault) => faults.push(fault),
    serve: { router, context: withFiles },
  });
  const wire = new RawWire(near);
  const close = () => {
    peer.close("done");
    if (faults.length > 0) throw faults[0];
  };
  onTestFinished(close);
  let id = 0;
  return {
    async call(method, params) {
      id += 1;
      wire.send({ id, method, params });
      const { result, error } = (await wire.next()) as WireAnswer;
      return error === undefined ? { result: result ?? {} } : { error };
    },
    notified: () => wire.next(),
    close,
  };
}

function withFiles(peer: Peer): HasFiles {
  const files = createFileConnection(peer);
  void peer.closed.then(() => files.close());
  return { files, session: { anchors: { nameOf: (anchorId) => anchorId } } };
}

/** A context with these rules, in which `folder` is the workspace. */
export function contextFor(folder: string, rules: readonly Rule[], more = {}) {
  const workspace = uriOfNative(folder);
  const { file_system: files, ...profile } = wireOf(rules);
  const entries = files.entries.map((entry) => ({ ...entry, path: asUri(entry.path) }));
  return {
    permissions: { ...profile, file_system: { ...files, entries } },
    cwd: workspace,
    workspaceRoots: [workspace],
    windowsSandboxLevel: "disabled",
    ...more,
  };
}

/** All of the host is read, the workspace is written. */
export const WORKSPACE_WRITE: readonly Rule[] = [
  [":root", "read"],
  [":workspace_roots", "write"],
];

function asUri(target: object): object {
  if (!("path" in target) || typeof target.path !== "string") return target;
  return { ...target, path: uriOfNative(target.path) };
}

export function uri(...parts: string[]): string {
  return uriOfNative(path.join(...parts));
}

export const base64 = (text: string) => Buffer.from(text).toString("base64");
