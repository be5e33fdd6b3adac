/** What each command of the built program loads of the packages that most of them need not. */
import { globSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { heavyPackages } from "./support/heavy-packages.ts";
import { ROOT } from "./support/repository.ts";

const TERMINAL = [`@lydell/node-pty-${process.platform}-${process.arch}`];
const SERVER = ["@modelcontextprotocol/core", "@modelcontextprotocol/server"];

describe("the built program", () => {
  it.each([
    "--help",
    "--version",
    "run --sandbox workspace-write -- true",
    "run --sandbox danger-full-access -- true",
    "run --sandbox read-only --receipt ../receipt.json -- true",
    'run --sandbox-policy {"type":"readOnly"} -- true',
    'run --sandbox-state-json {"permissionProfile":{"type":"disabled"},"sandboxCwd":"file:///"} -- true',
    "run --profile :read-only -- true",
    "plan --sandbox workspace-write -- true",
    "explain --sandbox workspace-write /tmp",
    "doctor",
    "receipts",
    "sessions",
    "snapshot list",
    "confine --sandbox read-only -- cat",
    "exec-server --listen stdio",
  ])("loads none of the large packages for: writ %s", async (line) => {
    expect(await heavyPackages(line.split(" "))).toEqual([]);
  });

  it.each<[string, string[]]>([
    ["run --tty --sandbox danger-full-access -- true", TERMINAL],
    ["skills list", ["yaml"]],
    ["repl", SERVER],
    ["exec-server --listen ws://127.0.0.1:0", ["ws"]],
    // The offline model needs no library for models.
    ["chat --sandbox read-only", ["yaml"]],
    ["app-server", ["yaml"]],
  ])("loads of the large packages only its own for: writ %s", async (line, packages) => {
    expect(await heavyPackages(line.split(" "))).toEqual(packages);
  });

  it("looks for no package by its name: a command may write to a folder that Node looks in", () => {
    const folder = path.join(ROOT, "dist/bin");
    const asked = globSync("*.js", { cwd: folder }).flatMap((file) =>
      // What stands in a text of another package is never run.
      [
        ...readFileSync(path.join(folder, file), "utf8").matchAll(
          /(?<![`\w])(?:require|import)\("([^"]+)"\)/g,
        ),
      ].map(([, name = ""]) => name),
    );
    expect(asked.length).toBeGreaterThan(100);
    expect(asked.filter((name) => !name.startsWith("./") && !isBuiltin(name))).toEqual([]);
  });
});
