import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ROOT } from "./support/repository.ts";
import { runProgram, scratchFolder, writePrograms } from "./support/run-program.ts";

let folder: string;
beforeEach(() => {
  folder = scratchFolder();
  for (const part of ["tools/build.mjs", "tsconfig.build.json", "package.json"]) {
    cpSync(path.join(ROOT, part), at(part));
  }
  write("src/index.ts", "");
  write("tools/bundle.mjs", "");
  write("tools/bundle-workers.mjs", "");
  write("tools/compile-python.mjs", "");
  write("tools/licenses.mjs", "");
  compiler("mkdir dist && echo built >> log && echo code > dist/index.js");
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (part: string) => path.join(folder, part);

function write(part: string, text: string): void {
  mkdirSync(path.dirname(at(part)), { recursive: true });
  writeFileSync(at(part), text);
}

/** In the place of the real one, which takes longer than a test should. */
const compiler = (tsc: string) => writePrograms(at("node_modules/.bin"), { tsc });

function build() {
  const { status } = runProgram(process.execPath, [at("tools/build.mjs")], { cwd: "/" });
  const built = existsSync(at("log"))
    ? readFileSync(at("log"), "utf8").split("built").length - 1
    : 0;
  return { status, built };
}

describe("tools/build.mjs", () => {
  it("builds what changed in whatever way, and nothing twice", () => {
    const changes: Readonly<Record<string, () => void>> = {
      nothing: () => {},
      "a source is another": () => appendFileSync(at("src/index.ts"), " "),
      "a source is new": () => write("src/deep/new.ts", ""),
      "a source has another name": () => renameSync(at("src/index.ts"), at("src/other.ts")),
      "a source is gone": () => rmSync(at("src/other.ts")),
      "the rules of the bundler are others": () => write("tools/bundle.mjs", "0;"),
      "a worker is another": () => write("workers/node.mjs", "0;"),
      "a package is another": () => write("package-lock.json", "{}"),
      "what was built was changed": () => appendFileSync(at("dist/index.js"), " "),
      "something lies beside what was built": () => write("dist/stale.js", ""),
      "what was built is gone": () => rmSync(at("dist"), { recursive: true }),
      "nothing says of what it was built": () => rmSync(at(".cache"), { recursive: true }),
    };
    let built = 0;
    for (const [name, change] of Object.entries(changes)) {
      change();
      built += 1;
      expect(build(), name).toEqual({ status: 0, built });
      expect(existsSync(at("dist/stale.js")), name).toBe(false);
    }
    expect(build()).toEqual({ status: 0, built });
  });

  it("takes nothing for built when a step failed", () => {
    build();
    compiler("mkdir dist && echo built >> log && exit 3");
    writeFileSync(at("src/index.ts"), "0");
    expect([build(), build()]).toEqual([
      { status: 1, built: 2 },
      { status: 1, built: 3 },
    ]);
  });
});
