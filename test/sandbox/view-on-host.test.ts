import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type AbsolutePath, parseAbsolutePath } from "../../src/policy/index.ts";
import { viewOnHost } from "../../src/sandbox/index.ts";
import { boundWith } from "../policy/support/profiles.ts";

const LAUNCHERS = ["bwrap", "nsenter", "prlimit", "unshare"].map((one) => `/usr/bin/${one}`);

describe("viewOnHost", () => {
  it("has all that sandboxes are made with read-only, as a command has, where the disk may be written", async () => {
    const everything = boundWith([[":root", "write"]]);
    const view = await viewOnHost(everything, { hidden: [], readOnly: [] });
    const found = LAUNCHERS.filter((one) => existsSync(one)) as AbsolutePath[];
    expect(found).toContain("/usr/bin/bwrap");
    for (const one of found) expect(view.sightOf(one)).toMatchObject({ access: "read" });
    expect(view.sightOf(parseAbsolutePath("/usr/bin/env"))).toMatchObject({ access: "write" });
  });
});
