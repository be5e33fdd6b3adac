import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createReceipt,
  NO_DENIALS,
  type ReceiptParts,
} from "../../../src/sandbox/receipt/create-receipt.ts";
import type { Denial } from "../../../src/sandbox/receipt/denial.ts";
import { Receipt, type ReceiptOutcome } from "../../../src/sandbox/receipt/receipt.ts";
import { renderReceipt } from "../../../src/sandbox/receipt/render-receipt.ts";

const enforced: NonNullable<Receipt["enforced"]> = {
  tier: "namespaces",
  backend: "bubblewrap 0.8.0",
  network: "private",
  unixSockets: "none",
  limits: [{ limit: "wallTimeMs", value: 600_000, by: "timer" }],
  launchFiles: ["/usr/bin/env"],
};
const parts: ReceiptParts = {
  id: "01KC0000000000000000000000",
  ids: { thread: "t1" },
  command: ["npm", "test"],
  cwd: "/r",
  intent: null,
  profileDigest: "a".repeat(64),
  boundDigest: "b".repeat(64),
  enforced,
  waived: null,
  notes: [],
  outcome: { kind: "exited", code: 1 },
  denials: { looked: true, listed: [], unlisted: 0 },
  leftBehind: { kind: "notLookedFor" },
  startedAt: "2026-01-01T00:00:00.000Z",
  endedAt: "2026-01-01T00:00:01.250Z",
  durationMs: 1250,
};
const refused: ReceiptOutcome = {
  kind: "refused",
  code: "unenforceableRule",
  message: "Cannot enforce the network rules",
};
const waived = { by: "user", reason: "a build that needs the device" };

function denial(index: number): Denial {
  return {
    kind: "file",
    path: `/etc/${index}`,
    wanted: "write",
    evidence: "inferred",
    stream: "stderr",
    line: "touch",
    rule: '":root" = "read"',
    reason: "the most specific entry",
    change: { kind: "add", table: "filesystem", lines: [`"/etc/${index}" = "write"`], note: null },
  };
}

const unseen = { endedAt: null, durationMs: null };

describe("createReceipt", () => {
  it("keeps what it was given, with its version, through JSON", () => {
    const receipt = createReceipt(parts);
    expect(receipt).toEqual({ ...parts, version: 1 });
    expect(Receipt.parse(JSON.parse(JSON.stringify(receipt)))).toEqual(receipt);
  });

  it.each<[string, object]>([
    ["a run without a sandbox that nobody waived", { enforced: { ...enforced, tier: "none" } }],
    ["a waiver of a sandbox that was there", { waived }],
    ["a refusal that something enforced", { outcome: refused }],
    ["a run that nothing enforced", { enforced: null }],
    ["a run that was not bound", { boundDigest: null }],
    ["a run without a policy", { profileDigest: null }],
    ["an end that somebody saw of a run that still runs", { outcome: { kind: "running" } }],
    ["a run that ended at no time", { endedAt: null, durationMs: null }],
    ["an end without a duration", { durationMs: null }],
    ["denials where nobody looked", { denials: { ...NO_DENIALS, unlisted: 1 } }],
    ["an id that does not sort", { id: "receipt-1" }],
    ["a time with an offset", { startedAt: "2026-01-01T00:00:00.000+01:00" }],
    ["a day that is none", { startedAt: "2026-02-30T00:00:00.000Z" }],
    ["an intent that is not JSON", { intent: { cwd: undefined } }],
    ["an environment", { env: { TOKEN: "hunter2" } }],
    [
      "an unknown limit",
      { enforced: { ...enforced, limits: [{ limit: "x", value: 1, by: "y" }] } },
    ],
    [
      "a denial that claims to be a fact",
      {
        denials: { looked: true, listed: [{ ...denial(1), evidence: "observed" }], unlisted: 0 },
      },
    ],
    ["a digest that is none", { profileDigest: "abc" }],
    ["no command", { command: [] }],
  ])("refuses %s", (_, wrong) => {
    expect(() => createReceipt({ ...parts, ...wrong })).toThrow(/^Cannot create the receipt: "/);
  });

  it.each(Object.keys(parts))("refuses a receipt without %s", (name) => {
    const { [name as "cwd"]: _, ...rest } = parts;
    expect(() => createReceipt(rest as ReceiptParts)).toThrow(name);
  });

  it("does not repeat a value in its error", () => {
    const wrong = { ...parts, env: { TOKEN: "hunter2" }, profileDigest: "hunter2" };
    expect(() => createReceipt(wrong)).toThrow(expect.not.stringContaining("hunter2"));
  });

  it("accepts a refusal and a waiver", () => {
    const unread = { profileDigest: null, boundDigest: null };
    createReceipt({ ...parts, ...unread, enforced: null, outcome: refused });
    createReceipt({ ...parts, enforced: { ...enforced, tier: "none", backend: "none" }, waived });
  });

  it("is made without loading the schema library, which takes longer than a run may", () => {
    const file = new URL("../../../src/sandbox/receipt/create-receipt.ts", import.meta.url).href;
    const program = `
      import { registerHooks } from "node:module";
      registerHooks({
        resolve(name, context, next) {
          console.log(name);
          return next(name, context);
        },
      });
      await import(${JSON.stringify(file)});`;
    const loaded = execFileSync(process.execPath, ["--input-type=module", "--eval", program], {
      encoding: "utf8",
      env: { ...process.env, NODE_OPTIONS: "" },
    });
    expect(loaded).toContain("receipt-shape.ts");
    expect(loaded.split("\n")).not.toContain("zod");
  });

  it("has a JSON Schema", () => {
    const schema = z.toJSONSchema(Receipt).$defs?.Receipt;
    expect(schema).toMatchObject({ additionalProperties: false });
    expect(schema?.required?.toSorted()).toEqual(Object.keys({ ...parts, version: 1 }).toSorted());
  });
});

describe("renderReceipt", () => {
  const rendered = (more: Partial<ReceiptParts>) =>
    renderReceipt(createReceipt({ ...parts, ...more }));

  it("says what ran, under what and how it ended", () => {
    expect(rendered({ command: ["sh", "-c", "npm  test"] })).toBe(
      [
        "result   exited with status 1 after 1.25 s",
        'command  sh -c "npm  test"',
        "folder   /r",
        "sandbox  namespaces by bubblewrap 0.8.0, network private, unix sockets none",
        "limits   wallTimeMs 600000 by timer",
        "launch   /usr/bin/env",
        `policy   ${"a".repeat(16)}, here ${"b".repeat(16)}`,
        "receipt  01KC0000000000000000000000, started 2026-01-01T00:00:00.000Z, thread t1",
        "left     not looked for files that run later",
        "denied   nothing that its output tells of",
        "",
      ].join("\n"),
    );
  });

  it("says nothing of output and of files left behind where no process ran", () => {
    const judged = { ...enforced, tier: "judged", backend: "writ", limits: [], launchFiles: [] };
    const text = rendered({ enforced: judged as typeof enforced, denials: NO_DENIALS });
    expect(text).toContain("sandbox  judged by writ, network private");
    expect(text).not.toMatch(/^(left|denied) /m);
  });

  it.each<[Partial<ReceiptParts>, string]>([
    [{ enforced: null, outcome: refused }, "REFUSED, nothing ran"],
    [{ ...unseen, outcome: { kind: "running" } }, "result   still runs\n"],
    [{ ...unseen, outcome: { kind: "unknown", reason: "it died" } }, "UNKNOWN: it died\n"],
    [{ denials: NO_DENIALS }, "denied   not known, nobody looked at its output"],
    [{ notes: ["the stronger back-end is used"] }, "notes    the stronger back-end is used"],
    [{ intent: { useLegacyLandlock: true } }, 'asked    {"useLegacyLandlock":true}'],
    [{ enforced: null, outcome: refused, profileDigest: null }, "policy   none that could be read"],
    [{ enforced: { ...enforced, tier: "none" }, waived }, "NONE, waived by user: a build"],
    [{ outcome: { kind: "killed", signal: "SIGSEGV" } }, "killed by SIGSEGV"],
    [{ outcome: { kind: "ended", reason: "a mount is gone" } }, "ENDED by writ: a mount"],
    [
      { outcome: { kind: "limit", limit: "wallTimeMs", value: 5 } },
      'beyond the limit "wallTimeMs" of 5',
    ],
    [{ outcome: { kind: "notStarted", reason: "no namespaces" } }, "DID NOT RUN: no namespaces"],
    [
      {
        leftBehind: {
          kind: "lookedFor",
          files: [{ path: "/r/.npmrc", why: "npm reads it" }],
          complete: true,
        },
      },
      "files that run later: /r/.npmrc (npm reads it)\n",
    ],
    [
      { leftBehind: { kind: "lookedFor", files: [], complete: false } },
      "files that run later: none seen; there may be more",
    ],
  ])("says of %j: %s", (more, words) => {
    expect(rendered(more)).toContain(words);
  });

  it("fits a screen however much was denied, and says what it leaves out", () => {
    const listed = Array.from({ length: 50 }, (_, index) => denial(index));
    const text = rendered({
      command: ["x".repeat(5000)],
      denials: { looked: true, listed, unlisted: 9 },
    });
    const lines = text.split("\n");
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(132);
    expect(text).toContain("46 not shown here; 9 more lines not judged");
    expect(text).toContain('would allow it: [permissions.NAME.filesystem] "/etc/0" = "write"');
  });

  it("sends no control character and no line of a stranger's making to the terminal", () => {
    const evil = "\u001b[2Jx\ndenied   nothing\u202e\u2028";
    const text = rendered({
      command: [evil, evil],
      cwd: evil,
      outcome: { kind: "ended", reason: evil },
      intent: { [evil]: evil },
      notes: [evil],
      ids: { [evil]: evil },
      denials: {
        looked: true,
        listed: [{ ...denial(1), path: evil, rule: evil, reason: evil } as Denial],
        unlisted: 0,
      },
      leftBehind: { kind: "lookedFor", files: [{ path: evil, why: evil }], complete: true },
      enforced: { ...enforced, backend: evil, launchFiles: [evil] },
    });
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\u2028]/u);
    expect(text.split("\n").filter((line) => line.startsWith("denied"))).toHaveLength(1);
  });
});
