import { describe, expect, it } from "vitest";
import { buildEnvironment, type EnvironmentPolicy } from "../../src/sandbox/index.ts";

const BASE = { PATH: "/bin", HOME: "/h", API_KEY: "secret", LD_PRELOAD: "/x.so", Term: "dumb" };

function build(policy: Partial<EnvironmentPolicy>) {
  return buildEnvironment({ inherit: "core", include: [], exclude: [], set: {}, ...policy }, BASE);
}

describe("buildEnvironment", () => {
  it("passes on a short list of names and no secret", () => {
    expect(build({})).toEqual({ PATH: "/bin", HOME: "/h", Term: "dumb" });
  });

  it("passes on nothing, or everything, when asked to", () => {
    expect(build({ inherit: "none" })).toEqual({});
    expect(build({ inherit: "all" })).toEqual(BASE);
  });

  it("includes and excludes by name, without regard to case", () => {
    expect(build({ include: ["api_key"], exclude: ["home"] })).toEqual({
      PATH: "/bin",
      Term: "dumb",
      API_KEY: "secret",
    });
  });

  it("sets last", () => {
    expect(build({ inherit: "none", set: { PATH: "/own" } })).toEqual({ PATH: "/own" });
  });
});
