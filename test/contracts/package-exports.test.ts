import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { LAYERS, packagesOf } from "./support/layers.ts";
import { codeFiles, ROOT, readText } from "./support/repository.ts";
import { type Ran, runProgram } from "./support/run-program.ts";

const Target = z.object({ types: z.string(), default: z.string() });
const manifest = z
  .object({
    name: z.string(),
    bin: z.record(z.string(), z.string()),
    files: z.array(z.string()).default([]),
    exports: z.record(z.string(), z.union([Target, z.literal("./package.json")])).default({}),
    dependencies: z.record(z.string(), z.string()),
    optionalDependencies: z.record(z.string(), z.string()),
    peerDependencies: z.record(z.string(), z.string()),
    peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.literal(true) })),
    devDependencies: z.record(z.string(), z.string()),
  })
  .parse(JSON.parse(readText("package.json")));

const subpaths = Object.entries(manifest.exports).flatMap(([subpath, target]) =>
  typeof target === "string" ? [] : [{ subpath, ...target }],
);

/** What a process printed that imports `specifier`. Several questions are asked of each. */
const imports = new Map<string, Ran>();

/** Every module that importing `specifier` loads, as resolved URLs; dependencies included. */
function loadedBy(specifier: string): string[] {
  const ran = imports.get(specifier) ?? importInProcess(specifier);
  imports.set(specifier, ran);
  expect(ran.status, `import "${specifier}": ${ran.stderr}`).toBe(0);
  return z.array(z.string()).parse(JSON.parse(ran.stdout));
}

function importInProcess(specifier: string): Ran {
  const program = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({
      resolve(name, context, next) {
        const resolved = next(name, context);
        loaded.push(resolved.url);
        return resolved;
      },
    });
    const module = await import(${JSON.stringify(specifier)});
    if (Object.keys(module).length === 0) throw new Error("nothing is exported");
    console.log(JSON.stringify(loaded));`;
  return runProgram(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: ROOT,
    env: { NODE_OPTIONS: "" },
  });
}

/** The packages among those, each once. */
function packagesLoadedBy(subpath: string): string[] {
  const urls = loadedBy(path.posix.join(manifest.name, subpath));
  const names = urls.flatMap((url) => {
    const [, inside] = url.split(/.*\/node_modules\//);
    return inside === undefined
      ? []
      : [inside.split("/", inside.startsWith("@") ? 2 : 1).join("/")];
  });
  return [...new Set(names)].sort();
}

describe("the package", () => {
  it("has a front door, one for each layer, and one for the wire of the app-server", () => {
    const layers = Object.keys(LAYERS).filter((layer) => !["front", "cli"].includes(layer));
    const doors = [".", "./app-server/protocol", ...layers.map((layer) => `./${layer}`)];
    expect(subpaths.map(({ subpath }) => subpath).sort()).toEqual(doors.sort());
  });

  it("has built code and types behind every export (run: npm run build)", () => {
    const targets = subpaths.flatMap((target) => [target.types, target.default]);
    expect(targets.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
    expect(subpaths.filter(({ types }) => !types.endsWith(".d.ts"))).toEqual([]);
  });

  it.each(subpaths)("can be imported as $subpath", ({ subpath, default: target }) => {
    const loaded = loadedBy(path.posix.join(manifest.name, subpath));
    expect(loaded).toContain(pathToFileURL(path.join(ROOT, target)).href);
  });

  it.each(subpaths.filter(({ subpath }) => [".", "./policy"].includes(subpath)))(
    "starts no process by importing $subpath",
    ({ subpath }) => {
      const loaded = loadedBy(path.posix.join(manifest.name, subpath));
      expect(loaded).not.toContain("node:child_process");
      expect(loaded).not.toContain("child_process");
    },
  );

  it("declares every package that its sources import", () => {
    const imported = new Set(codeFiles("src").flatMap((file) => packagesOf(readText(file))));
    const { dependencies, optionalDependencies, peerDependencies } = manifest;
    const declared = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
    expect([...imported].filter((name) => !declared.includes(name))).toEqual([]);
  });

  it("declares its native parts as optional: what needs one says so when it is missing", () => {
    expect(Object.keys(manifest.optionalDependencies)).toEqual(["@lydell/node-pty", "koffi"]);
  });

  it("asks for no package that only some need, and tests with it", () => {
    const { peerDependencies, peerDependenciesMeta, devDependencies } = manifest;
    const names = Object.keys(peerDependencies);
    expect(Object.keys(peerDependenciesMeta)).toEqual(names);
    expect(names.filter((name) => devDependencies[name] === undefined)).toEqual([]);
  });

  it.each(subpaths)("loads no optional package by importing $subpath", ({ subpath }) => {
    const packages = packagesLoadedBy(subpath);
    const optional = Object.keys({
      ...manifest.peerDependencies,
      ...manifest.optionalDependencies,
    });
    expect(packages.filter((name) => optional.includes(name))).toEqual([]);
  });

  it.each([
    [".", ["zod"]],
    ["./policy", ["zod"]],
    ["./sandbox", ["zod"]],
    ["./app-server/protocol", ["zod"]],
  ])("loads of other packages, by importing %s, only %j", (subpath, expected) => {
    expect(packagesLoadedBy(subpath)).toEqual(expected);
  });

  it("loads nothing of the app-server by importing its protocol", () => {
    const loaded = loadedBy(`${manifest.name}/app-server/protocol`);
    const files = loaded.flatMap((url) => (url.includes("/dist/") ? [url.split("/dist/")[1]] : []));
    const allowed = /^(policy|rpc|app-server\/protocol)\/|^app-server\/app-dialect\.js$/;
    expect(files.filter((file) => !allowed.test(file ?? ""))).toEqual([]);
    expect(files).toContain("app-server/protocol/app-protocol.js");
  });
});

/** A little more than it has; what grows beyond it should be meant to. */
const MOST_BYTES = { packed: 2_900_000, unpacked: 12_500_000 };

describe("the packed package", () => {
  const { stdout } = runProgram("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: ROOT,
    env: { npm_config_update_notifier: "false" },
  });
  const [{ files, size, unpackedSize }] = z
    .tuple([
      z.object({
        size: z.number(),
        unpackedSize: z.number(),
        files: z.array(z.object({ path: z.string() })),
      }),
    ])
    .parse(JSON.parse(stdout));
  const packed = new Set(files.map((file) => file.path));

  it("contains what its programs and exports need", () => {
    const programs = Object.values(manifest.bin);
    const startedBy = programs.flatMap((program) =>
      [...readText(program).matchAll(/"\$root\/(dist\/[^"]+)"/g)].map(([, file = ""]) => file),
    );
    expect(startedBy).toContain("dist/bin/main.js");
    const needed = [
      ...[...programs, ...startedBy, "package.json", "README.md", "LICENSE"],
      ...subpaths.flatMap((target) => [target.types, target.default]),
    ].map((file) => path.posix.normalize(file));
    expect(needed.filter((file) => !packed.has(file))).toEqual([]);
  });

  it("contains nothing else: no tests, no sources, no maps, no code that the bundle has inside", () => {
    const wanted =
      /^(bin|schema|workers)\/|^dist\/(?!cli\/).*\.(js|cjs|d\.ts|json)$|^dist\/workers\/python\/.*\.pyc?$/;
    const named = ["package.json", "README.md", "LICENSE", "dist/bin/LICENSES.txt"];
    const strange = [...packed].filter((file) => !wanted.test(file) && !named.includes(file));
    expect(strange).toEqual([]);
  });

  it("contains the licence of every package that its sources import and its bundle has inside", () => {
    const text = readText("dist/bin/LICENSES.txt");
    const outside = [...Object.keys(manifest.optionalDependencies), "@vercel/sandbox"];
    const inside = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
    const wanted = inside.filter((name) => !outside.includes(name));
    expect(wanted.filter((name) => !text.includes(`${name} `))).toEqual([]);
    expect(packed).toContain("dist/bin/LICENSES.txt");
  });

  it("stays about as small as docs/cli.md says", () => {
    expect(size).toBeLessThan(MOST_BYTES.packed);
    expect(unpackedSize).toBeLessThan(MOST_BYTES.unpacked);
  });
});
