/** What is denied by its own name stays hidden, also where the host makes it while the command runs. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { made, startRun } from "../../launch/live-run.ts";
import { placeFor, USERS } from "../../support/sandbox-user.ts";

const PROFILE = `extends = ":workspace"
[filesystem.":workspace_roots"]
"secrets" = "deny"
"conf/keys" = "deny"
"conf/shown" = "read"
"conf/keys/open" = "read"
".mcp.json" = "deny"
`;
/** A folder in a denied one cannot be looked into, so each file is asked for by name. */
const FILES = ["secrets/key", "conf/keys/prod/key", ".mcp.json"];
const SCRIPT = `touch ready; until [ -e go ]; do sleep 0.01; done
for one in ${FILES.join(" ")}; do cat $one 2>/dev/null && echo " read $one"; done
rm -rf secrets conf/keys 2>/dev/null; mv conf elsewhere 2>/dev/null && echo moved
cat other && echo " control"`;

describe.each(USERS)("writ run as %s", (user) => {
  it("A7 hides what the host makes at a denied path that was missing", async () => {
    const place = placeFor(user);
    const at = (name: string) => path.join(place.workspace, name);
    const profile = path.join(place.outside, "profile.toml");
    writeFileSync(profile, PROFILE);
    const { ended, printed } = startRun(place, SCRIPT, ["--profile", profile]);
    await made(place, "ready");
    for (const name of FILES) {
      mkdirSync(path.dirname(at(name)), { recursive: true });
      writeFileSync(at(name), "SECRET");
    }
    writeFileSync(at("other"), "other");
    writeFileSync(at("go"), "");
    expect({ status: await ended, out: printed.out }).toEqual({
      status: 0,
      out: "other control\n",
    });
    for (const name of FILES) expect(readFileSync(at(name), "utf8")).toBe("SECRET");
  });
});
