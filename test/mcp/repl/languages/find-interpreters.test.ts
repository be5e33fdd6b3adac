import { chmodSync, mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { findInterpreters, LANGUAGES, startOf, workerStart } from "../../../../src/mcp/index.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

/** A home with programs at these places. */
function homeWith(...programs: string[]): string {
  const home = temporaryFolder(Object.fromEntries(programs.map((one) => [one, "#!/bin/sh\n"])));
  for (const one of programs) chmodSync(path.join(home, one), 0o755);
  mkdirSync(path.join(home, "project/deep"), { recursive: true });
  return home;
}

function pythonIn(home: string, env: Record<string, string> = {}): string | undefined {
  const cwd = path.join(home, "project/deep");
  const found = findInterpreters({ env: { PATH: `${home}/bin`, ...env }, cwd, home, node: "node" });
  return found.python && path.relative(home, found.python);
}

describe("findInterpreters", () => {
  it("takes the nearest environment of a project before the PATH", () => {
    const home = homeWith("bin/python3", ".venv/bin/python", "project/.venv/bin/python3");
    expect(pythonIn(home)).toBe("project/.venv/bin/python3");
  });

  it("looks no higher than the home", () => {
    const home = homeWith(".venv/bin/python", "me/bin/python3", "me/project/deep/x");
    expect(pythonIn(path.join(home, "me"))).toBe("bin/python3");
  });

  it("takes what was named, then the active environment, first", () => {
    const home = homeWith("mine", "venv/bin/python", "conda/bin/python", "bin/python");
    const venv = { VIRTUAL_ENV: `${home}/venv` };
    const conda = { CONDA_PREFIX: `${home}/conda` };
    expect(pythonIn(home)).toBe("bin/python");
    expect(pythonIn(home, conda)).toBe("conda/bin/python");
    expect(pythonIn(home, { ...conda, ...venv })).toBe("venv/bin/python");
    const named = { MCP_REPL_PYTHON_EXECUTABLE: `${home}/mine` };
    expect(pythonIn(home, { ...conda, ...venv, ...named })).toBe("mine");
  });

  it("passes over what is no program, or is relative", () => {
    const home = temporaryFolder({ "bin/python3": "", "b/python3/x": "", "c/python": "" });
    chmodSync(path.join(home, "c/python"), 0o755);
    const dirs = ["bin", "b", "c"].map((name) => path.join(home, name));
    const PATH = ["", ".", ...dirs].join(":");
    expect(pythonIn(home, { PATH, MCP_REPL_PYTHON_EXECUTABLE: "python3" })).toBe("c/python");
  });

  it("finds nothing where nothing is", () => {
    const env = { PATH: "", R_HOME: "/nowhere" };
    const found = findInterpreters({ env, cwd: "/", home: "/", node: "/n" });
    expect(found).toMatchObject({ node: "/n", python: undefined, bash: undefined });
    const none = { node: "/n", python: undefined, bash: undefined, rHome: undefined };
    expect(LANGUAGES.filter((one) => startOf(one, none) !== undefined)).toEqual(["node"]);
  });

  it("names R's home to its worker", () => {
    const rHome = temporaryFolder();
    const env = { PATH: "", R_HOME: rHome };
    const found = findInterpreters({ env, cwd: "/", home: "/", node: "/n" });
    expect(startOf("r", found)?.env).toMatchObject({ R_HOME: rHome });
  });
});

describe("workerStart", () => {
  it("keeps the variables of the protocol its own", () => {
    const { env } = workerStart(["x"], { MCP_REPL_IPC_READ_FD: "9", A: "1" });
    expect(env).toEqual({ A: "1", MCP_REPL_IPC_READ_FD: "3", MCP_REPL_IPC_WRITE_FD: "4" });
  });

  it("starts a worker in a folder of its own", () => {
    expect(workerStart(["x", "-y"], {}, "/a b").argv).toEqual([
      ...["/bin/sh", "-c", expect.stringMatching(/^cd -- "\$0" && \{ exec 3/), "/a b", "x", "-y"],
    ]);
  });
});
