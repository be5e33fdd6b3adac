/** Grants on this machine and elsewhere, with folders that are there. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import {
  PolicyGrants,
  type PolicyGrantsOptions,
} from "../../../src/app-server/policy/policy-grants.ts";
import type { ExecHost, StartRequest } from "../../../src/exec/index.ts";
import { type Grant, profileDigest, uriOfNative } from "../../../src/policy/index.ts";
import { FRAME } from "../../agent/support/turn-lab.ts";
import { profileWith, type Rule } from "../../policy/support/profiles.ts";
import { HOST, loadOver } from "./support/choosing.ts";

const write = (...paths: readonly string[]): Grant => ({
  network: false,
  files: paths.map((one) => ({ path: uriOfNative(one), access: "write" })),
});
const NETWORK: Grant = { network: true, files: [] };
const PLACE = { cwd: "/", workspaceRoots: ["/"] };

interface Asking {
  readonly rules?: readonly Rule[];
  readonly environment?: string;
  readonly bounds?: Partial<ExecHost["bounds"]>;
  readonly plan?: PolicyGrantsOptions["plan"];
}

const startsAll = async () => undefined;

function grant(
  asked: Grant,
  { rules = [[":root", "read"]], environment = "local", bounds, plan = startsAll }: Asking = {},
) {
  const host = { ...HOST, bounds: { ...HOST.bounds, ...bounds } };
  const load = loadOver(() => ({ profiles: {} }));
  const grants = new PolicyGrants({ host, load, plan });
  const frame = { ...FRAME, profile: profileWith(rules), environment };
  return grants.grant({ frame, asked, given: asked }, { place: PLACE, overrides: {} });
}

describe("PolicyGrants", () => {
  let folder = "";
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), "writ-grants-")));
    return () => rmSync(folder, { recursive: true, force: true });
  });

  it("grants a folder that is there, under another name of the policy", async () => {
    const { profile, granted } = await grant(write(folder));
    expect(granted).toEqual(write(folder));
    expect(profileDigest(profile)).not.toBe(profileDigest(profileWith([[":root", "read"]])));
  });

  it("refuses what is not there, leads elsewhere or leads nowhere", async () => {
    const [real, link, lost] = ["real", "link", "lost"].map((name) => path.join(folder, name));
    if (!real || !link || !lost) throw new Error("there are three");
    mkdirSync(real);
    symlinkSync(real, link);
    symlinkSync(path.join(folder, "none"), lost);
    await expect(grant(write(`${folder}/none`))).rejects.toThrow("there is nothing");
    await expect(grant(write(link))).rejects.toThrow(`it leads to "${real}"`);
    await expect(grant(write(lost))).rejects.toThrow("it leads nowhere");
  });

  it("refuses what no command can be started under, here and not elsewhere", async () => {
    const plan = async ({ sandbox }: StartRequest) => {
      const { profile } = sandbox.kind === "enforce" ? sandbox.context : {};
      expect(JSON.stringify(profile)).toContain(folder);
      throw new Error("no sandbox opens that");
    };
    await expect(grant(write(folder), { plan })).rejects.toThrow("no sandbox opens that");
    const { granted } = await grant(write(folder), { plan, environment: "far" });
    expect(granted).toEqual(write(folder));
  });

  it("cannot look at another machine, and grants there by name", async () => {
    const { granted } = await grant(write("/nowhere/here"), { environment: "far" });
    expect(granted).toEqual(write("/nowhere/here"));
  });

  it("refuses to grant on another machine beside a deny that only that machine understands", async () => {
    const rules: readonly Rule[] = [[":tmpdir", "deny"]];
    const asked = write("/nowhere/here");
    await expect(grant(asked, { rules, environment: "far" })).rejects.toThrow("must not vanish");
  });

  it.each(["local", "far"])("refuses the network where this host does: %s", async (environment) => {
    const refused = { environment, bounds: { hostNetwork: "refused" } } as const;
    await expect(grant(NETWORK, refused)).rejects.toThrow("Cannot open the network");
    expect((await grant(NETWORK, { environment })).granted.network).toBe(true);
  });
});
