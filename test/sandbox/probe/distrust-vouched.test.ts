import { expect, it, onTestFinished } from "vitest";
import { distrustOf, trustOnly } from "../../../src/sandbox/probe/distrust-of.ts";

it("trusts what was vouched for and nothing else, once somebody has vouched", () => {
  expect(distrustOf("/none/such")).toBeDefined();
  onTestFinished(trustOnly(["/none/such"]));
  expect(distrustOf("/none/such")).toBeUndefined();
  expect(distrustOf("/usr/bin/env")).toMatchObject({ detail: expect.stringContaining("vouched") });
});
