import { chmodSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { locateNsenter } from "../../../src/sandbox/anchor/locate-nsenter.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("locateNsenter", () => {
  it("refuses a host without it, with the way to it", () => {
    const missing = path.join(temporaryFolder(), "nsenter");
    expect(() => locateNsenter([missing])).toThrow(
      expect.objectContaining({
        code: "unsupportedHost",
        message: expect.stringMatching(
          /^Cannot make a sandbox: .* has no nsenter .*not in .*Fix: .*util-linux/,
        ),
      }),
    );
  });

  it("refuses one that others could have put there", () => {
    const planted = path.join(temporaryFolder(), "nsenter");
    writeFileSync(planted, "#!/bin/sh\n");
    chmodSync(planted, 0o777);
    expect(() => locateNsenter([planted])).toThrow(/can be trusted \(.+\)/);
  });
});
