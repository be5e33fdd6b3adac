/**
 * The layers, what each may import, and what only some of them may touch.
 *
 * ARCHITECTURE.md draws the same picture; this table is the one that is enforced.
 */
import { isBuiltin } from "node:module";
import path from "node:path";
import { importsOf, mentionsOf } from "./syntax.ts";

/** Each layer and the layers it may import, through their `index.ts` only. */
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  policy: [],
  rpc: [],
  config: ["policy"],
  sandbox: ["policy"],
  exec: ["policy", "rpc", "sandbox"],
  session: ["policy", "exec"],
  mcp: ["policy", "rpc", "exec"],
  agent: ["policy", "rpc", "exec", "session", "mcp"],
  "app-server": ["policy", "config", "rpc", "exec", "agent"],
  front: ["policy", "config", "exec", "session"],
  cli: [...["policy", "rpc", "config", "sandbox", "exec", "session", "mcp", "agent", "app-server"]],
};

interface Ban {
  readonly layers: readonly string[];
  readonly modules?: RegExp;
  readonly names?: RegExp;
  readonly because: string;
}

const allBut = (...layers: readonly string[]) =>
  Object.keys(LAYERS).filter((layer) => !layers.includes(layer));

const BANS: readonly Ban[] = [
  {
    layers: ["policy"],
    modules: /^node:(?!crypto$)/,
    names: /^(process|Date|performance|globalThis|crypto|Math\.random|random(UUID|Bytes|Int))$/,
    because: "policy is pure: the same request gives the same answer on every host",
  },
  {
    layers: allBut("sandbox", "cli"),
    modules: /^node:(child_process|cluster)$/,
    because: "processes start in sandbox/launch and nowhere else",
  },
  { layers: allBut("rpc"), modules: /^ws$/, because: "rpc owns the transports" },
  { layers: allBut("config"), modules: /^smol-toml$/, because: "config reads the files" },
  { layers: allBut("session"), modules: /^yaml$/, because: "session reads skills" },
];

/** What is wrong with the imports and names of one source file, in sentences. */
export function layerFindings(file: string, text: string): string[] {
  const [, layer = "", ...rest] = file.split("/");
  const lower = rest.length > 0 ? LAYERS[layer] : undefined;
  if (!lower) return [`${file} lies outside every layer`];
  const imports = importsOf(text);
  return [
    ...imports.flatMap((target) => importFinding(file, target, [layer, ...lower])),
    ...BANS.filter((ban) => ban.layers.includes(layer)).flatMap((ban) => [
      ...imports
        .filter((target) => target && ban.modules?.test(withProtocol(target)))
        .map((target) => `${file} imports ${target}, but ${ban.because}`),
      ...[...new Set(mentionsOf(text))]
        .filter((name) => ban.names?.test(name))
        .map((name) => `${file} mentions ${name}, but ${ban.because}`),
    ]),
  ];
}

/** The packages a file imports, by the name a `package.json` would give them. */
export function packagesOf(text: string): string[] {
  return importsOf(text)
    .filter((target) => target !== undefined)
    .filter((target) => !target.startsWith(".") && !isBuiltin(target))
    .map((target) => target.split("/", target.startsWith("@") ? 2 : 1).join("/"));
}

function importFinding(file: string, target: string | undefined, reachable: string[]): string[] {
  if (target === undefined) return [`${file} imports a computed path`];
  if (!target.startsWith(".")) return [];
  const [root, layer = "", ...rest] = path.posix.join(path.dirname(file), target).split("/");
  if (root !== "src") return [`${file} imports ${target}, which is not a source file`];
  if (!reachable.includes(layer)) return [`${file} imports ${layer}, which is not below it`];
  const own = layer === reachable[0];
  return own || rest.join("/") === "index.ts" ? [] : [`${file} reaches into ${layer}: ${target}`];
}

function withProtocol(target: string): string {
  return isBuiltin(target) && !target.startsWith("node:") ? `node:${target}` : target;
}
