/**
 * Tricks on writ, on Codex, on srt and on bubblewrap by hand, as root and as an ordinary user.
 *
 * Only writ can fail here, and the trick itself, when it works nowhere. What the
 * peers do is printed as the table of docs/comparison.md and judged by nobody: a new version may do better.
 */
import { spawnSync } from "node:child_process";
import os from "node:os";
import { afterAll, describe, expect, it } from "vitest";
import { placeFor, USERS } from "../../os/support/sandbox-user.ts";
import { type Cell, cell, type Trick } from "./attempt.ts";
import { BY_HAND, SANDBOXES, WRIT } from "./sandboxes.ts";
import { RULE_TRICKS } from "./tricks-on-rules.ts";
import { HOST_TRICKS } from "./tricks-on-the-host.ts";
import { KERNEL_TRICKS } from "./tricks-on-the-kernel.ts";

const TRICKS = [...RULE_TRICKS, ...HOST_TRICKS, ...KERNEL_TRICKS];
const cells = new Map<string, Cell>();
const key = (trick: Trick, user: string, sandbox: string) => [trick.name, user, sandbox].join("\0");

describe.each(USERS)("writ answers as it must, as %s", (user) => {
  const tricks = TRICKS.map((trick) => [trick.name, trick] as const);

  it.each(tricks)("%s", { timeout: 600_000 }, async (_, trick) => {
    const nothing = trick.unless?.(placeFor(user));
    for (const sandbox of SANDBOXES) {
      const found = nothing
        ? cell("does not apply", nothing)
        : await trick.tryOn(sandbox, placeFor(user));
      cells.set(key(trick, user, sandbox.name), found);
    }
    const outcomeOf = (sandbox: string) => cells.get(key(trick, user, sandbox))?.outcome;
    expect({ writ: outcomeOf(WRIT.name), byHand: outcomeOf(BY_HAND.name) }).toEqual(
      nothing
        ? { writ: "does not apply", byHand: "does not apply" }
        : { writ: trick.writ, byHand: trick.byHand },
    );
  });
});

/** One cell for both users when they agree, or when there is nothing to try for one. */
function textOf(trick: Trick, sandbox: string): string {
  const found = USERS.flatMap((user) => {
    const one = cells.get(key(trick, user, sandbox));
    return one ? [{ user, ...one }] : [];
  });
  const tried = found.filter(({ outcome }) => outcome !== "does not apply");
  const shown = tried.length > 0 ? tried : found;
  const words = shown.map(({ outcome, note }) => {
    const word = outcome === "gives way" ? "**gives way**" : outcome;
    return note === undefined ? word : `${word}: ${note}`;
  });
  if (new Set(words).size === 1) return words[0] ?? "";
  return shown.map(({ user }, index) => `${user}: ${words[index]}`).join("<br>");
}

function wasTried(trick: Trick): boolean {
  return USERS.some((user) => cells.has(key(trick, user, WRIT.name)));
}

function tableOf(): string {
  const row = (words: readonly string[]) => `| ${words.join(" | ")} |`;
  const names = SANDBOXES.map(({ name }) => name);
  return [
    row(["trick", ...names]),
    row(["trick", ...names].map(() => "---")),
    ...TRICKS.filter(wasTried).map((trick) =>
      row([trick.name, ...names.map((name) => textOf(trick, name))]),
    ),
  ].join("\n");
}

/** What a cell depends on besides the programs. */
function hostLine(): string {
  const { stdout } = spawnSync("/usr/bin/bwrap", ["--version"], { encoding: "utf8" });
  return `Linux ${os.release()}, ${stdout.trim()}`;
}

afterAll(() => void process.stdout.write(`\n${hostLine()}\n\n${tableOf()}\n`));
