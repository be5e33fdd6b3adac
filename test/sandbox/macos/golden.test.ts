import path from "node:path";
import { describe, expect, it } from "vitest";
import { parseAbsolutePath as at, type BoundProfile } from "../../../src/policy/index.ts";
import { MACOS_PLATFORM_DEFAULTS } from "../../../src/sandbox/macos/platform-rules.ts";
import { boundWith, type Rule } from "../../policy/support/profiles.ts";
import { fileTree } from "../support/file-tree.ts";
import { policyFor } from "./support/plan-for.ts";

/** No twin on a kernel: these texts were never read by Seatbelt. They show a change; they prove none. */
const CASES: readonly [name: string, rules: readonly Rule[], more?: Partial<BoundProfile>][] = [
  ["read-only", [[":root", "read"]]],
  [
    "workspace-write",
    [
      [":root", "read"],
      [":workspace_roots", "write"],
      [":slash_tmp", "write"],
    ],
  ],
  [
    "restricted-read",
    [
      [":minimal", "read"],
      ["/srv/shared", "read"],
      ["/srv/shared/keys", "deny"],
    ],
  ],
  [
    "carve-outs",
    [
      [":root", "read"],
      ["/r", "write"],
      ["/r/a", "read"],
      ["/r/a/b", "write"],
      ["/r/a/b/c", "deny"],
      ["/r/a/b/c/d", "read"],
      ["/r/log.txt", "write"],
      ["glob:/r/**/*.env", "deny"],
    ],
  ],
  ["network-on", [[":root", "read"]], { network: { kind: "enabled" }, unixSockets: "private" }],
];

const DISK = fileTree(
  "/r/.git/",
  "/r/a/b/c/d/",
  "/r/log.txt",
  "/srv/shared/keys/",
  "/private/tmp/",
  "/usr/lib/",
  ["/tmp", "private/tmp"],
);

describe("the policy text", () => {
  it.each(CASES)("of %s is the one on record", async (name, rules, more) => {
    const platformDefaults = MACOS_PLATFORM_DEFAULTS.map((one) => at(one));
    const profile = { ...boundWith(rules, { platformDefaults }), ...more };
    const { text, flags } = policyFor(profile, DISK);
    const file = path.join(import.meta.dirname, "golden", `${name}.sb`);
    await expect(`${[text, ...flags.map((flag) => `; ${flag}`)].join("\n")}\n`).toMatchFileSnapshot(
      file,
    );
  });
});
