import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, globSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const BUILT = path.resolve(import.meta.dirname, "../../../../dist/workers/python");

/** Where each part of the worker came from when it was started and had nobody to talk to. */
function partsLoadedIn(folder: string): Map<string, string> {
  const { stderr } = spawnSync("python3", ["-v", path.join(folder, "python.py")], {
    env: {
      PATH: process.env.PATH,
      MCP_REPL_IPC_READ_FD: "0",
      MCP_REPL_IPC_WRITE_FD: "1",
    },
    encoding: "utf8",
  });
  const loaded = stderr.matchAll(/^# code object from '?([^'\n]*\/writ_python\/[^'\n]*)'?$/gm);
  return new Map(
    Array.from(loaded, ([, file = ""]) => [
      path.basename(file).replace(/\..*/, ""),
      path.extname(file),
    ]),
  );
}

const names = globSync("*.py", { cwd: path.join(BUILT, "writ_python") }).map((file) =>
  path.basename(file, ".py"),
);

describe("the worker of a Python session", () => {
  it("is not compiled with each start", () => {
    const loaded = partsLoadedIn(BUILT);
    expect([...loaded.keys()].sort()).toEqual(names.sort());
    expect([...loaded].filter(([, kind]) => kind !== ".pyc")).toEqual([]);
  });

  it("runs by its source where that is another than what was compiled", () => {
    const copy = temporaryFolder();
    cpSync(BUILT, copy, { recursive: true });
    appendFileSync(path.join(copy, "writ_python/wire.py"), "\n# another\n");
    const loaded = partsLoadedIn(copy);
    expect(loaded.get("wire")).toBe(".py");
    expect(loaded.get("inbox")).toBe(".pyc");
  });
});
