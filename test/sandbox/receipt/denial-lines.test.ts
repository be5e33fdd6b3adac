import { describe, expect, it } from "vitest";
import { parseAbsolutePath as at, type BoundProfile } from "../../../src/policy/index.ts";
import type { Denial } from "../../../src/sandbox/receipt/denial.ts";
import { createDenialScan } from "../../../src/sandbox/receipt/denial-scan.ts";
import { boundWith } from "../../policy/support/profiles.ts";
import { ERROR_LINES } from "./error-lines.ts";

const profile = boundWith([
  [":root", "read"],
  ["/srv/ro/secret", "deny"],
  ["/srv/ro/hid", "deny"],
  ["/tmp", "write"],
]);
const open: BoundProfile = {
  ...boundWith([[":root", "write"]], { protectedNames: [] }),
  network: { kind: "enabled" },
  unixSockets: "host",
};

function summaries(text: string, bound: BoundProfile): string[] {
  const scan = createDenialScan({ cwd: at("/srv/ro"), profile: bound, ceiling: undefined });
  scan.feed(Buffer.from(text), "stderr");
  return scan.finish().listed.map(summary);
}

function summary(denial: Denial): string {
  switch (denial.kind) {
    case "file":
      return `${denial.wanted} ${denial.path}`;
    case "network":
      return `network ${denial.host}`;
    case "unixSocket":
      return `unixSocket ${denial.path}`;
  }
}

describe("createDenialScan", () => {
  it.each(ERROR_LINES)("reads $program: $text", ({ text, denied }) => {
    expect(summaries(text, profile)).toEqual(denied.map((one) => one.replace(/\/\.$/, "")));
  });

  it.each(ERROR_LINES)("reports nothing of $program where all is allowed: $text", ({ text }) => {
    expect(summaries(text, open)).toEqual([]);
  });
});
