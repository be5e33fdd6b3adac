/** A view that is kept for a moment, of a workspace that is named by a link. */
import fs from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { parseAbsolutePath } from "../../src/policy/index.ts";
import { viewOnHost } from "../../src/sandbox/view-on-host.ts";
import { boundWith } from "../policy/support/profiles.ts";

it("denies what a pattern denied, wherever a command moved it meanwhile", async () => {
  const place = fs.realpathSync(fs.mkdtempSync("/var/tmp/writ-view-"));
  onTestFinished(() => fs.rmSync(place, { recursive: true }));
  fs.mkdirSync(path.join(place, "real/a"), { recursive: true });
  fs.writeFileSync(path.join(place, "real/a/.env"), "secret");
  fs.symlinkSync("real", path.join(place, "alias"));
  const bound = boundWith([
    [":root", "read"],
    [`${place}/real`, "write"],
    [`glob:${place}/alias/**/.env`, "deny"],
  ]);
  const { isDenied } = await viewOnHost(bound, { hidden: [], readOnly: [] });
  const denied = (name: string) => isDenied(parseAbsolutePath(path.join(place, "real", name)));
  expect(["z/.env", "z/.env/below", "z/env", "z"].map(denied)).toEqual([true, true, false, false]);
});
