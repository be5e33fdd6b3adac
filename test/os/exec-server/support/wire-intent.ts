/** Sandbox intents as a client writes them, and commands that run under one. */
import fs from "node:fs";
import path from "node:path";
import { type Place, type SandboxUser, USERS } from "../../support/sandbox-user.ts";
import { uri, WAYS } from "./exec-lab.ts";
import type { WireClient, Wired, WireReply } from "./wire-client.ts";
import { closed, type Heard, startOf } from "./wire-process.ts";

type Access = "read" | "write" | "deny" | "none";

/** Every way in and every user, without each way for each user. */
export const ROADS = [
  ...WAYS.map((over) => ({ over, user: USERS[0] ?? ("ordinary" as SandboxUser) })),
  ...USERS.slice(1).map((user) => ({ over: "ws" as const, user })),
];

/** `:symbol` or `:symbol/subpath`, `glob:PATTERN`, an absolute path or a URI. */
export function entry(target: string, access: Access, more: Wired = {}) {
  return { path: targetOf(target), access, ...more };
}

function targetOf(target: string): Wired {
  if (target.startsWith("glob:")) return { type: "glob_pattern", pattern: target.slice(5) };
  if (!target.startsWith(":")) {
    return { type: "path", path: target.startsWith("/") ? uri(target) : target };
  }
  const [kind, ...subpath] = target.slice(1).split("/");
  return {
    type: "special",
    value: { kind, ...(subpath.length > 0 && { subpath: subpath.join("/") }) },
  };
}

const WORKSPACE_WRITE = [
  entry(":root", "read"),
  entry(":project_roots", "write"),
  entry(":slash_tmp", "write"),
  entry(":tmpdir", "write"),
];

/** A context around a profile; entries stand for a managed profile without network. */
export function intent(profile: readonly unknown[] | Wired, more: Wired = {}): Wired {
  const permissions = Array.isArray(profile)
    ? {
        type: "managed",
        file_system: { type: "restricted", entries: profile },
        network: "restricted",
      }
    : profile;
  return { permissions, windowsSandboxLevel: "disabled", ...more };
}

/** Workspace-write over some roots, with further entries. */
export function workspaceWrite(roots: readonly string[], more: readonly unknown[] = []): Wired {
  return intent([...WORKSPACE_WRITE, ...more], { workspaceRoots: roots.map(uri) });
}

export type Told = Heard | NonNullable<WireReply["error"]>;

/** Runs a script in the workspace under a `sandbox` member: what was heard of it, or the refusal. */
export async function runUnder(
  client: WireClient,
  { workspace }: Pick<Place, "workspace">,
  { script, sandbox, ...more }: { readonly script: string; readonly sandbox: unknown } & Wired,
): Promise<Told & { readonly sandboxType?: string }> {
  const params = startOf(workspace, script, { sandbox, ...more });
  const { result, error } = await client.tryCall("process/start", params);
  if (error !== undefined) return error;
  return { ...(await closed(client, params.processId)), sandboxType: String(result?.sandboxType) };
}

/** Makes files that belong to whoever owns the folder; a name that ends in `/` is a folder. */
export function layOut(folder: string, files: Readonly<Record<string, string>>): void {
  const { uid, gid } = fs.statSync(folder);
  for (const [name, text] of Object.entries(files)) {
    const at = path.join(folder, name);
    fs.mkdirSync(name.endsWith("/") ? at : path.dirname(at), { recursive: true });
    if (!name.endsWith("/")) fs.writeFileSync(at, text);
    for (let up = at; up.startsWith(`${folder}/`); up = path.dirname(up))
      fs.lchownSync(up, uid, gid);
  }
}
