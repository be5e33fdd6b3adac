import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseAbsolutePath } from "../../src/policy/index.ts";
import { probeHostRoots } from "../../src/sandbox/index.ts";

const cwd = parseAbsolutePath("/srv/project");

function probe(env: Readonly<Record<string, string>>) {
  return probeHostRoots({
    cwd,
    workspaceRoots: [cwd],
    env,
    platform: "linux",
    externalSandbox: "absent",
  });
}

describe("probeHostRoots", () => {
  it("takes the temporary folder from the environment it is given", () => {
    expect(probe({ TMPDIR: "/var/tmp/x/" }).tmpdir).toBe("/var/tmp/x");
  });

  it.each([{}, { TMPDIR: "" }])("has none when it is unset or empty: %o", (env) => {
    expect(probe(env).tmpdir).toBeUndefined();
  });

  it("lists only platform folders that exist", () => {
    const { platformDefaults } = probe({});
    expect(platformDefaults).toContain("/usr");
    expect(platformDefaults.filter((folder) => !existsSync(folder))).toEqual([]);
  });
});
