import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { placeFor, USERS } from "../support/sandbox-user.ts";

const POLICY = ["--sandbox-policy", '{"type":"externalSandbox"}'];

describe.each(USERS)("a policy that leaves confinement to somebody else, as %s", (user) => {
  it("is enforced as read-only where nobody vouches for that", () => {
    const { sh, workspace } = placeFor(user);
    const { stdout } = sh("touch x && echo wrote; ls /etc > /dev/null && echo control", POLICY);
    expect(stdout).toBe("control\n");
    expect(existsSync(path.join(workspace, "x"))).toBe(false);
  });

  it("runs as it is where somebody does, which is said and on the receipt", () => {
    const { sh, outside } = placeFor(user);
    const receipt = path.join(outside, "r.json");
    const flags = [...POLICY, "--external-sandbox", "--receipt", receipt];
    const { stdout, stderr } = sh("touch x && echo wrote", flags);
    expect(stdout).toBe("wrote\n");
    expect(stderr).toContain("--external-sandbox vouches for");
    expect(JSON.parse(readFileSync(receipt, "utf8")).enforced.tier).toBe("external");
  });
});
