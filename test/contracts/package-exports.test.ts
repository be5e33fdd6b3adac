import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { packagesOf } from "./support/layers.ts";
import { codeFiles, ROOT, readText } from "./support/repository.ts";
import { runProgram } from "./support/run-program.ts";

const Target = z.object({ types: z.string(), default: z.string() });
const manifest = z
  .object({
    name: z.string(),
    bin: z.record(z.string(), z.string()),
    files: z.array(z.string()).default([]),
    exports: z.record(z.string(), z.union([Target, z.literal("./package.json")])).default({}),
    dependencies: z.record(z.string(), z.string()),
    peerDependencies: z.record(z.string(), z.string()),
    peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.literal(true) })),
    devDependencies: z.record(z.string(), z.string()),
  })
  .parse(JSON.parse(readText("package.json")));

const subpaths = Object.entries(manifest.exports).flatMap(([subpath, target]) =>
  typeof target === "string" ? [] : [{ subpath, ...target }],
);

/** Every module that importing `specifier` loads, as resolved URLs; dependencies included. */
function loadedBy(specifier: string): string[] {
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
  const { status, stdout, stderr } = runProgram(
    process.execPath,
    ["--input-type=module", "--eval", program],
    { cwd: ROOT, env: { NODE_OPTIONS: "" } },
  );
  expect(status, `import "${specifier}": ${stderr}`).toBe(0);
  return z.array(z.string()).parse(JSON.parse(stdout));
}

describe("the package", () => {
  it("exports each layer that has something to offer to others", () => {
    expect(subpaths.map(({ subpath }) => subpath)).toContain("./policy");
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
    const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
    expect([...imported].filter((name) => !declared.includes(name))).toEqual([]);
  });

  it("asks for no package that only some need, and tests with it", () => {
    const { peerDependencies, peerDependenciesMeta, devDependencies } = manifest;
    const names = Object.keys(peerDependencies);
    expect(Object.keys(peerDependenciesMeta)).toEqual(names);
    expect(names.filter((name) => devDependencies[name] === undefined)).toEqual([]);
  });

  it.each(subpaths)("loads no such package by importing $subpath", ({ subpath }) => {
    const loaded = loadedBy(path.posix.join(manifest.name, subpath));
    const optional = Object.keys(manifest.peerDependencies);
    expect(loaded.filter((url) => optional.some((name) => url.includes(`/${name}/`)))).toEqual([]);
  });
});

describe("the packed package", () => {
  it("contains what its programs and exports need", () => {
    const { stdout } = runProgram("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: ROOT,
      env: { npm_config_update_notifier: "false" },
    });
    const [{ files }] = z
      .tuple([z.object({ files: z.array(z.object({ path: z.string() })) })])
      .parse(JSON.parse(stdout));
    const packed = new Set(files.map((file) => file.path));
    const programs = Object.values(manifest.bin);
    const startedBy = programs.flatMap((program) =>
      [...readText(program).matchAll(/"\$root\/(dist\/[^"]+)"/g)].map(([, file = ""]) => file),
    );
    expect(startedBy).toContain("dist/bin/main.js");
    const needed = [
      ...[...programs, ...startedBy, "package.json", "README.md"],
      ...subpaths.flatMap((target) => [target.types, target.default]),
    ].map((file) => path.posix.normalize(file));
    expect(needed.filter((file) => !packed.has(file))).toEqual([]);
    expect([...packed].filter((file) => /^(src|test|bench)\//.test(file))).toEqual([]);
  });
});
