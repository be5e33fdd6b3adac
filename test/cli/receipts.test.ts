import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openReceiptStore } from "../../src/exec/index.ts";
import { parseAbsolutePath } from "../../src/policy/index.ts";
import type { Receipt } from "../../src/sandbox/index.ts";
import { anEnd, aRefusal, aStart } from "../exec/receipts/kept-receipts.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { writ } from "./support/cli-world.ts";

const receipts = (home: string, ...args: string[]) => writ(["receipts", ...args], "/repo", home);

/** A home with these receipts, the last the newest. */
function homeWith(...kept: Receipt[]): string {
  const home = temporaryFolder();
  const store = openReceiptStore(parseAbsolutePath(home));
  for (const receipt of kept) store.ended(receipt);
  store.close();
  return home;
}

describe("writ receipts", () => {
  it("lists the newest first, a line each", async () => {
    const plain = anEnd(aStart({ command: ["sh", "-c", "exit 3"] }), {
      outcome: { kind: "exited", code: 3 },
    });
    const refused = aRefusal();
    const { status, out, err } = await receipts(homeWith(plain, refused));
    expect({ status, err }).toEqual({ status: 0, err: "" });
    expect(out).toBe(
      [
        "started (UTC)        id        outcome      tier        command",
        `2026-01-01 00:00:00  ${refused.id.slice(-8)}  refused      -           npm test`,
        `2026-01-01 00:00:00  ${plain.id.slice(-8)}  exit 3       namespaces  sh -c "exit 3"`,
        "",
      ].join("\n"),
    );
  });

  it("fits 80 columns and lets nothing through that a terminal obeys", async () => {
    const evil = "\u001b[2J\n\u202e".repeat(30);
    const ended = (outcome: Receipt["outcome"]) => anEnd(aStart({ command: [evil] }), { outcome });
    const home = homeWith(
      ended({ kind: "killed", signal: evil }),
      ended({ kind: "notStarted", reason: evil }),
      ended({ kind: "limit", limit: "wallTimeMs", value: 1 }),
    );
    const { out } = await receipts(home);
    const lines = out.trimEnd().split("\n");
    expect(lines).toHaveLength(4);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.join("")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(out).toContain("not started  namespaces");
  });

  it("lists those of a thread, and no more than are wanted", async () => {
    const of = (thread: string) => anEnd(aStart({ ids: { thread } }));
    const [one, two, three] = [of("a"), of("b"), of("a")] as const;
    const home = homeWith(one, two, three);
    const ids = async (...args: string[]) =>
      JSON.parse((await receipts(home, "--json", ...args)).out).map(({ id }: Receipt) => id);
    expect(await ids()).toEqual([three.id, two.id, one.id]);
    expect(await ids("--thread", "a")).toEqual([three.id, one.id]);
    expect(await ids("--limit", "1", "--thread", "a")).toEqual([three.id]);
    const many = homeWith(...Array.from({ length: 25 }, () => of("a")));
    expect((await receipts(many)).out.trimEnd().split("\n")).toHaveLength(21);
  });

  it("lists nothing when there is none, and makes nothing", async () => {
    const home = temporaryFolder();
    expect(await receipts(home)).toEqual({ status: 0, out: "", err: "" });
    const json = await receipts(home, "--json", "--thread", "t");
    expect(json).toEqual({ status: 0, out: "[]\n", err: "" });
    expect(fs.readdirSync(home)).toEqual([]);
  });

  it.each([
    [["--limit", "0"], "expected a number from 1 on"],
    [["--limit", "1.5"], "expected a number from 1 on"],
    [["--limit", "all"], "expected a number from 1 on"],
    [["--thread", ""], "it is empty"],
    [["list"], 'Cannot use "list"'],
    [["show"], "no id was given"],
    [["show", ""], "no id was given"],
    [["show", "a", "b"], 'Cannot use "b"'],
    [["show", "a", "--limit", "1"], "Cannot use --limit with show"],
  ])("refuses %j", async (args, words) => {
    const { status, out, err } = await receipts(homeWith(aRefusal()), ...args);
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toContain(words);
  });

  it("says in a sentence what is wrong with a file that is none of its own", async () => {
    const home = temporaryFolder();
    fs.writeFileSync(path.join(home, "receipts.sqlite"), "hello", { mode: 0o600 });
    const { status, err } = await receipts(home);
    expect(status).toBe(1);
    expect(err).toMatch(/^writ: Cannot open ".*": it is damaged.*Move it away.*\n$/);
  });

  it("has a help that fits a screen", async () => {
    const { out } = await receipts("/nowhere", "--help");
    const lines = out.split("\n");
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });
});

describe("writ receipts show", () => {
  it("shows one by its id, by the end of it, in any case, and as JSON", async () => {
    const wanted = anEnd(aStart({ notes: ["the stronger back-end is used"] }));
    const home = homeWith(wanted, aRefusal());
    for (const id of [wanted.id, wanted.id.slice(-8), wanted.id.slice(-8).toLowerCase()]) {
      const { status, out } = await receipts(home, "show", id);
      expect(status).toBe(0);
      expect(out).toContain("result   exited with status 0 after 1.00 s");
      expect(out).toContain("notes    the stronger back-end is used");
    }
    const { out } = await receipts(home, "show", wanted.id, "--json");
    expect(JSON.parse(out)).toEqual(wanted);
  });

  it("refuses an id that is none, and one that is several", async () => {
    const one = anEnd(aStart({ id: `${"0".repeat(25)}A` }));
    const other = anEnd(aStart({ id: `1${"0".repeat(24)}A` }));
    const home = homeWith(one, other);
    const none = await receipts(home, "show", "ZZZ");
    expect(none).toMatchObject({ status: 1, out: "" });
    expect(none.err).toBe('writ: Cannot show "ZZZ": no such receipt is kept\n');
    const several = await receipts(home, "show", "0A");
    expect(several).toMatchObject({ status: 1, out: "" });
    expect(several.err).toContain("several ids end so");
    expect((await receipts(home, "show", one.id)).status).toBe(0);
  });
});
