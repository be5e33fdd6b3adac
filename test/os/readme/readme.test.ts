/** Somebody does what the README says, from top to bottom, and sees what it shows. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readText } from "../../contracts/support/repository.ts";
import { writePlainServer } from "../mcp/support/plain-server.ts";
import { USERS } from "../support/sandbox-user.ts";
import { callAsCodex, serverIn } from "./support/call-as-codex.ts";
import { followPage, linesOf } from "./support/follow-page.ts";
import { PageReader } from "./support/page-reader.ts";
import { readmeSteps } from "./support/readme-steps.ts";

const steps = readmeSteps(readText("README.md"));
const settings = steps.flatMap((step) => (step.kind === "settings" ? step.text : [])).join("\n");

describe.each(USERS)("the README, as %s", (user) => {
  it("shows what its commands print, and its servers keep to the policy of a call", async () => {
    const reader = await PageReader.open(user);
    expect(await followPage(reader, steps)).toEqual(linesOf(steps));
    const file = (name: string) => path.join(reader.home, "hello", name);

    const plain = writePlainServer(reader.place.outside);
    const program = path.join(reader.programs, "mcp-server-filesystem");
    writeFileSync(program, `#!/bin/sh\nexec node ${plain} "$@"\n`, { mode: 0o755 });
    reader.place.give();
    const write = { name: "write", arguments: { path: file("files.txt") } };
    expect(await callAsCodex(reader, serverIn(settings, "files"), write)).toEqual([
      expect.stringContaining("without sandbox state"),
      expect.stringContaining("EROFS"),
      expect.stringContaining("written"),
    ]);

    const installed = readFileSync(path.join(reader.home, ".codex/config.toml"), "utf8");
    const repl = { name: "repl", arguments: { input: `open("${file("py.txt")}", "w").close()` } };
    expect(await callAsCodex(reader, serverIn(installed, "python"), repl)).toEqual([
      expect.stringContaining("without sandbox state"),
      expect.stringContaining("Read-only file system"),
      expect.not.stringContaining("Error"),
    ]);
    expect(["files.txt", "py.txt"].map((name) => existsSync(file(name)))).toEqual([true, true]);
  });
});

describe("the README", () => {
  it("prepares a checkout by what the gate and the picture run", () => {
    const lines = steps.flatMap((step) => (step.kind === "prepare" ? step.lines : []));
    expect(lines).toEqual(["npm ci && npm start", "npm ci && npm test"]);
    const { scripts } = JSON.parse(readText("package.json"));
    expect(scripts.start).toBe("bin/writ chat");
    const gate = readText(".ci/run");
    expect(gate).toMatch(/^step "" npm ci$/m);
    expect(gate).toMatch(/^test_step \w+ npm test$/m);
  });

  it("has every kind of step", () => {
    const kinds = new Set(steps.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(["prepare", "save", "settings", "type"]);
  });

  it.each([
    ["a block that nobody runs", "```python\nprint(1)\n```\n"],
    ["what nobody typed", "```console\nhello\n$ echo hello\n```\n"],
  ])("would fail over %s", (_, page) => {
    expect(() => readmeSteps(page)).toThrow("Nobody");
  });
});
