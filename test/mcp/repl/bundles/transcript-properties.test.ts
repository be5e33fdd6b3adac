/** A transcript is what was printed, whenever it was written and whenever somebody looked. */
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { Bundles, DEFAULT_BUNDLE_LIMITS } from "../../../../src/mcp/repl/bundles/bundles.ts";
import type { OutputEvent } from "../../../../src/mcp/repl/output/output-event.ts";
import { DEFAULT_BUDGET } from "../../../../src/mcp/repl/output/reply-budget.ts";
import { SessionOutput } from "../../../../src/mcp/repl/output/session-output.ts";
import { campaign } from "../../../support/campaign.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { lines, out } from "../support/printed.ts";

const printed = fc.record({
  stream: fc.constantFrom("stdout" as const, "stderr" as const),
  text: fc.string({ minLength: 1, maxLength: 300, unit: fc.constantFrom("x", "é", "😀", "\n") }),
  cut: fc.nat(300),
  isLookedAt: fc.boolean(),
});

it("for any output, cuts and looks, the transcript is the same", () => {
  const folder = temporaryFolder();
  const budget = { ...DEFAULT_BUDGET, inlineChars: 100 };
  const transcriptOf = (events: readonly (OutputEvent | "look")[]) => {
    const bundles = new Bundles({ folder: path.join(folder, "b"), ...DEFAULT_BUNDLE_LIMITS });
    const output = new SessionOutput({ bundles, budget, retainBytes: 1 << 20 });
    for (const event of events) {
      if (event === "look") output.reply();
      else output.add(event);
    }
    output.add(out(lines(20, 20)));
    output.reply();
    const transcript = readFileSync(path.join(folder, "b/output-0001/transcript.txt"), "utf8");
    output.close();
    bundles.removeAll();
    rmSync(path.join(folder, "b"), { recursive: true, force: true });
    return transcript;
  };
  const same = fc.property(fc.array(printed, { maxLength: 12 }), (all) => {
    const cut = all.flatMap(({ stream, text, cut: at, isLookedAt }): (OutputEvent | "look")[] => {
      const bytes = Buffer.from(text);
      const parts = [bytes.subarray(0, at), bytes.subarray(at)].map((part) => out(part, stream));
      return isLookedAt ? [...parts, "look"] : parts;
    });
    const whole = all.map(({ stream, text }) => out(text, stream));
    expect(transcriptOf(cut)).toBe(transcriptOf(whole));
  });
  fc.assert(same, campaign(2_000));
});
