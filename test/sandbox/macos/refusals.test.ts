import { describe, expect, it } from "vitest";
import {
  parseAbsolutePath as at,
  type BoundProfile,
  NetworkRules,
} from "../../../src/policy/index.ts";
import { boundWith } from "../../policy/support/profiles.ts";
import { fileTree } from "../support/file-tree.ts";
import { planFor } from "./support/plan-for.ts";

const profile = boundWith([
  [":root", "read"],
  ["/r", "write"],
]);

function refusal(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

describe("planMacos refuses what Seatbelt cannot keep", () => {
  it.each([
    "wallTimeMs",
    "cpuTimeMs",
    "memoryBytes",
    "processes",
    "fileSizeBytes",
    "openFiles",
    "outputBytes",
  ])("the limit %s, by name", (limit) => {
    const limited: BoundProfile = { ...profile, limits: { [limit]: 5 } };
    expect(refusal(() => planFor(limited))).toMatchObject({
      code: "unenforceableRule",
      message: expect.stringContaining(`"${limit}"`),
    });
  });

  it("network rules", () => {
    const rules = NetworkRules.parse({ domains: { "x.io": "allow" } });
    const ruled: BoundProfile = { ...profile, network: { kind: "ruled", all: [rules] } };
    expect(refusal(() => planFor(ruled))).toMatchObject({
      code: "unenforceableRule",
      message: expect.stringContaining("network rules"),
    });
  });

  it.each(["disabled", "external"] as const)("an enforcement of %s", (enforcement) => {
    expect(refusal(() => planFor({ ...profile, enforcement }))).toMatchObject({
      code: "unenforceableRule",
      message: expect.stringContaining(`"${enforcement}"`),
    });
  });

  it.each(["deny", "read", "write"])("a rule of %s on a device", (access) => {
    const ruled = boundWith([
      [":root", "read"],
      ["/dev/null", access],
    ]);
    expect(refusal(() => planFor(ruled))).toMatchObject({
      code: "unenforceableRule",
      message: expect.stringContaining(`"/dev/null" = "${access}"`),
    });
  });

  it.each([
    [
      "is hidden",
      boundWith([
        [":root", "read"],
        ["/r", "deny"],
      ]),
      fileTree("/r/"),
      /hides/,
    ],
    [
      "is hidden by a pattern",
      boundWith([
        [":root", "read"],
        ["glob:/r", "deny"],
      ]),
      fileTree("/r/"),
      /hides/,
    ],
    ["is missing", profile, fileTree("/srv/"), /no such folder/],
    ["is a file", profile, fileTree("/r"), /not a folder/],
  ])("a folder to start in that %s", (_, given, files, words) => {
    expect(refusal(() => planFor(given, files, { cwd: at("/r") }))).toMatchObject({
      code: "unenforceableRule",
      message: expect.stringMatching(words),
    });
  });
});
