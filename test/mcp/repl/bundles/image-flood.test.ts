import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { Bundles, DEFAULT_BUNDLE_LIMITS } from "../../../../src/mcp/repl/bundles/bundles.ts";
import { DEFAULT_BUDGET } from "../../../../src/mcp/repl/output/reply-budget.ts";
import { SessionOutput } from "../../../../src/mcp/repl/output/session-output.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { image, read } from "../support/printed.ts";

describe("pictures without bytes", () => {
  it("take of the quota what their files take of the disk", () => {
    const folder = path.join(temporaryFolder(), "bundles");
    const bundles = new Bundles({ folder, ...DEFAULT_BUNDLE_LIMITS, maxBundleBytes: 30_000 });
    const output = new SessionOutput({ bundles, budget: DEFAULT_BUDGET, retainBytes: 64 << 20 });
    for (let count = 0; count < 20; count++) output.add(image("", `${count}`));
    expect(read(output.reply())).toContain("later content omitted");
    expect(readdirSync(path.join(folder, "output-0001/images/history"))).toHaveLength(3);
    expect(existsSync(path.join(folder, "output-0001/events.log"))).toBe(true);
  });
});
