/** The examples, by the lines of their README, and what they leave on the host. */
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { filesUnder, readText } from "../../contracts/support/repository.ts";
import { USERS } from "../support/sandbox-user.ts";
import { callAsCodex, serverIn } from "./support/call-as-codex.ts";
import { followPage, linesOf } from "./support/follow-page.ts";
import { PageReader } from "./support/page-reader.ts";
import { readmeSteps } from "./support/readme-steps.ts";

const page = readText("examples/README.md");
const steps = readmeSteps(page);
const settings = steps.flatMap((step) => (step.kind === "settings" ? step.text : [])).join("\n");

describe.each(USERS)("the examples, as %s", (user) => {
  it("do what their page shows, and no more on the host", async () => {
    const reader = await PageReader.open(user);
    expect(await followPage(reader, steps)).toEqual(linesOf(steps));
    const shell = serverIn(reader.asHere(settings), "shell");
    const touch = { name: "shell", arguments: { line: "touch shell.txt" } };
    expect(await callAsCodex(reader, shell, touch)).toEqual([
      expect.stringContaining("without sandbox state"),
      expect.stringContaining("Read-only file system"),
      expect.not.stringContaining("cannot"),
    ]);
    const names = ["src/made.txt", "agent.txt", "client.txt", "typo.txt", "shell.txt"];
    const made = names.filter((name) => existsSync(path.join(reader.home, "hello", name)));
    expect(made).toEqual(["src/made.txt", "agent.txt", "client.txt", "shell.txt"]);
  });
});

it("every example has its place on the page", () => {
  const folders = filesUnder("examples").map((file) => path.dirname(file).split("/")[1]);
  const missing = [...new Set(folders)].filter((name) => name && !page.includes(`## [${name}`));
  expect(missing).toEqual([]);
});
