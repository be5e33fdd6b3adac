import { describe, expect, it } from "vitest";
import { parseAbsolutePath as at } from "../../../../src/policy/index.ts";
import { parseDependencies } from "../../../../src/session/index.ts";
import {
  type BuildPlace,
  buildIntent,
  planBuild,
} from "../../../../src/session/provider/local/snapshots/plan-build.ts";

const PLACE: BuildPlace = {
  layer: at("/w/snapshots/1"),
  toolchain: { node: at("/n/bin/node"), npm: at("/n/npm/cli.js"), folders: [at("/n/bin")] },
  resolver: at("/run/resolv.conf"),
  secrets: [at("/etc/shadow-")],
};

function profile(value: object) {
  const read = parseDependencies(value, "dependencies");
  if (read === null) throw new Error("it asks for nothing");
  return read;
}

const BOTH = profile({
  ...{ npm: { b: "latest", a: "1.0.0" }, network: true, registry: "https://r.example/" },
  postinstall: [["x", "1"], ["y"]],
});

describe("planBuild", () => {
  it("installs all packages in one step, then runs commands in their order", () => {
    const commands = planBuild(BOTH, PLACE);
    expect(commands.map(({ name }) => name)).toEqual(["npm install", "x", "y"]);
    const [install] = commands;
    expect(install?.argv.slice(0, 3)).toEqual(["/n/bin/node", "/n/npm/cli.js", "install"]);
    expect(install?.argv).toContain("--prefix=/w/snapshots/1");
    expect(install?.argv).toContain("--registry=https://r.example/");
    // Nothing behind it is taken for a flag.
    expect(install?.argv.slice(-3)).toEqual(["--", "a@1.0.0", "b@latest"]);
  });

  it("asks npm for nothing where there are commands alone", () => {
    const place = { ...PLACE, toolchain: undefined };
    expect(planBuild(profile({ postinstall: [["x"]] }), place)).toHaveLength(1);
  });
});

describe("buildIntent", () => {
  it("opens what programs need to start and no more, whatever is installed", () => {
    const intent = buildIntent(BOTH, PLACE);
    if (intent.kind !== "enforce" || intent.context.profile.type !== "managed") throw new Error();
    const { fileSystem, network, unixSockets, limits } = intent.context.profile;
    if (fileSystem.type !== "restricted") throw new Error("its files are not restricted");
    const opened = fileSystem.entries.filter(({ access }) => access !== "deny");
    const names = opened.map(({ target, access }) => [
      target.type === "path" ? target.path : target.type,
      access,
    ]);
    expect(names).toEqual([
      ["minimal", "read"],
      ["tmpdir", "write"],
      ["file:///n/bin", "read"],
      ["file:///run/resolv.conf", "read"],
    ]);
    expect([network, unixSockets]).toEqual([{ kind: "enabled" }, "none"]);
    expect(limits?.wallTimeMs).toBeGreaterThan(0);
    expect(intent.context.workspaceRoots).toEqual([]);
  });

  it("has no network unless that was said", () => {
    const intent = buildIntent(profile({ postinstall: [["x"]] }), PLACE);
    expect(intent).toMatchObject({ context: { profile: { network: { kind: "restricted" } } } });
  });
});
