import { existsSync, globSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type Known, pathsIn, unknownCommands } from "./support/doc-commands.ts";
import { anchorsOf, linksOf } from "./support/markdown.ts";
import { filesUnder, importModule, ROOT, readText } from "./support/repository.ts";

const pages = filesUnder("", ".md").filter((page) => !page.startsWith("test/fixtures/"));
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readText("package.json")));

/** Pages that claim something of what the program does. */
const TRIED = [
  ...["policy", "linux", "macos", "exec-server", "mcp", "repl", "sessions", "app-server", "chat"],
  ...["skills", "snapshots", "limits", "receipts", "configuration", "security", "testing"],
  ...["comparison", "performance"],
];

/** What is wrong with a link of a page: no such file, or no such heading in it. */
function linkFinding(page: string, link: string): string[] {
  if (/^[a-z][a-z+.-]*:/i.test(link)) return [];
  const [target = "", anchor] = decodeURI(link).split("#");
  const from = target.startsWith("/") ? "" : path.posix.dirname(page);
  const file = target === "" ? page : path.posix.join(from, target);
  if (file.startsWith("..") || !existsSync(path.join(ROOT, file))) {
    return [`${page} links to ${link}, which does not exist`];
  }
  if (!anchor || statSync(path.join(ROOT, file)).isDirectory() || !file.endsWith(".md")) return [];
  return anchorsOf(readText(file)).has(anchor)
    ? []
    : [`${page} links to a missing heading: ${link}`];
}

describe("the documentation", () => {
  it.each([
    ["README.md", 150],
    ["ARCHITECTURE.md", 200],
  ])("keeps %s within %i lines", (page, limit) => {
    expect(pages).toContain(page);
    expect(readText(page).trimEnd().split("\n").length).toBeLessThanOrEqual(limit);
  });

  it("keeps every page of docs that is written by hand within 200 lines", () => {
    const written = filesUnder("docs", ".md").filter((page) => !page.startsWith("docs/protocol/"));
    const long = written.filter((page) => readText(page).trimEnd().split("\n").length > 200);
    expect(long).toEqual([]);
  });

  it("says in each page of the map which tests try it", () => {
    const silent = TRIED.filter((page) => !/`test\/[^`]+`/.test(readText(`docs/${page}.md`)));
    expect(silent).toEqual([]);
  });

  it("links only to files and headings that exist", () => {
    const findings = pages.flatMap((page) =>
      linksOf(readText(page)).flatMap((link) => linkFinding(page, link)),
    );
    expect(findings).toEqual([]);
  });

  it("names only paths that exist", () => {
    const findings = pages.flatMap((page) =>
      pathsIn(readText(page))
        .filter((name) => globSync(name, { cwd: ROOT }).length === 0)
        .map((name) => `${page} names ${name}, which does not exist`),
    );
    expect(findings).toEqual([]);
  });

  it("names only scripts and commands that exist", async () => {
    const { COMMANDS } = await importModule("src/cli/commands.ts");
    const commands = z
      .array(z.object({ name: z.string() }))
      .min(1)
      .parse(COMMANDS);
    const known = { scripts: Object.keys(scripts), commands: commands.map(({ name }) => name) };
    const findings = pages.flatMap((page) =>
      unknownCommands(readText(page), known).map((command) => `${page}: ${command}`),
    );
    expect(findings).toEqual([]);
  });
});

describe("linksOf and anchorsOf", () => {
  it("find every form of link outside code", () => {
    const text = [
      '[a](a.md) ![b](b.png "title") <a href="c.md">c</a> `[no](no.md)` [e](<e.md>)',
      "```md\n[no](no.md)\n```",
      "[d]: d.md",
    ].join("\n");
    expect(linksOf(text).sort()).toEqual(["a.md", "b.png", "c.md", "d.md", "e.md"]);
  });

  it("make anchors as GitHub does", () => {
    const text = "# `writ run`: Überblick & more\n## Twice\n## Twice\n```sh\n# no heading\n```\n";
    expect([...anchorsOf(text)]).toEqual(["writ-run-überblick--more", "twice", "twice-1"]);
  });

  it("let a broken link be reported", () => {
    expect(linkFinding("README.md", "no-such-page.md")).toHaveLength(1);
    expect(linkFinding("README.md", "../outside.md")).toHaveLength(1);
    expect(linkFinding("README.md", "#no-such-heading")).toHaveLength(1);
    expect(linkFinding("README.md", "package.json")).toEqual([]);
    expect(linkFinding("docs/a.md", "../package.json")).toEqual([]);
  });
});

describe("unknownCommands", () => {
  const known: Known = { scripts: ["test", "check"], commands: ["run", "sandbox explain"] };

  it.each([
    "`npm run nope`",
    "`npm start`",
    "`writ nope --json`",
    "`writ sandbox nope`",
    "```sh\nnpm ci && npm run nope -- --flag\n```",
    "```console\n$ WRIT_HOME=/tmp ./bin/writ nope\nwrit prints this\n```",
    "```console\nthere$ writ nope\n```",
    "```sh\nnpx writ nope | head\n```",
    "```sh\nwrit \\\n  nope\n```",
  ])("reports %j", (text) => {
    expect(unknownCommands(text, known)).toHaveLength(1);
  });

  it.each([
    "`npm test` `npm run check -- --watch` `npm ci` `npm run <script>`",
    "`writ` `writ --version` `writ run -- ls` `writ <command>` `writ sandbox` `writ: Cannot start`",
    "```sh\nwrit sandbox explain --json -- npm run build-in-a-sandbox # writ nope\n```",
    "```ts\nwrit nope\n```",
  ])("accepts %j", (text) => {
    expect(unknownCommands(text, known)).toEqual([]);
  });
});

describe("pathsIn", () => {
  it("finds paths of the repository and leaves other code alone", () => {
    const text = "`src/cli/main.ts:3` `test/<layer>/a.ts` `a/src/b` `node src/a.ts` `docs/`";
    expect(pathsIn(text)).toEqual(["src/cli/main.ts", "test/*/a.ts", "docs/"]);
  });
});
