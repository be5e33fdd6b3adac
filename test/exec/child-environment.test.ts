import { describe, expect, it } from "vitest";
import { childEnvironment } from "../../src/exec/child-environment.ts";

const own = {
  PATH: "/usr/bin",
  Home: "/root",
  API_KEY: "k",
  MY_TOKEN: "t",
  EDITOR: "vi",
  OPENAI_IDENTITY_TOKEN_FILE: "/id",
};
const all = {
  inherit: "all",
  ignoreDefaultExcludes: true,
  exclude: [],
  set: {},
  includeOnly: [],
} as const;

describe("childEnvironment", () => {
  it("48 gives exactly what was sent where there is no policy", () => {
    expect(childEnvironment({ envPolicy: null, env: { A: "1" } }, own)).toEqual({ A: "1" });
  });

  it("48 puts what was sent over what is inherited and set", () => {
    const envPolicy = { ...all, set: { EDITOR: "ed", B: "2" } };
    const env = childEnvironment({ envPolicy, env: { B: "3" } }, own);
    expect(env).toMatchObject({ EDITOR: "ed", B: "3", PATH: "/usr/bin" });
  });

  it("48 never hands on what identifies the executor, however it is spelled", () => {
    const env = { openai_identity_token_file: "/x", CODEX_EXEC_SERVER_NOISE_AUTH_TOKEN: "t" };
    const built = childEnvironment({ envPolicy: all, env }, own);
    expect(Object.keys(built).map((name) => name.toUpperCase())).not.toContain(
      "OPENAI_IDENTITY_TOKEN_FILE",
    );
    expect(built).not.toHaveProperty("CODEX_EXEC_SERVER_NOISE_AUTH_TOKEN");
  });

  it("49 inherits the core names without case, or nothing", () => {
    const core = childEnvironment({ envPolicy: { ...all, inherit: "core" }, env: {} }, own);
    expect(core).toEqual({ PATH: "/usr/bin", Home: "/root" });
    expect(childEnvironment({ envPolicy: { ...all, inherit: "none" }, env: {} }, own)).toEqual({});
  });

  it("49 leaves out names that sound like secrets unless told otherwise", () => {
    const envPolicy = { ...all, ignoreDefaultExcludes: false };
    expect(childEnvironment({ envPolicy, env: {} }, own)).toEqual({
      PATH: "/usr/bin",
      Home: "/root",
      EDITOR: "vi",
    });
  });

  it.each([
    ["ED*", ["EDITOR"]],
    ["?ath", ["PATH"]],
    ["*", Object.keys(own)],
    ["*O*E*", ["Home", "MY_TOKEN"]],
    ["PAT", []],
  ])("49 excludes what %s matches", (pattern, gone) => {
    const built = childEnvironment({ envPolicy: { ...all, exclude: [pattern] }, env: {} }, own);
    const left = Object.keys(own).filter((name) => name !== "OPENAI_IDENTITY_TOKEN_FILE");
    expect(Object.keys(built)).toEqual(left.filter((name) => !(gone as string[]).includes(name)));
  });

  it("49 keeps only what is included, of what was set too", () => {
    const envPolicy = { ...all, set: { EDITH: "1", OTHER: "2" }, includeOnly: ["edit*"] };
    const built = childEnvironment({ envPolicy, env: { SENT: "3" } }, own);
    expect(built).toEqual({ EDITOR: "vi", EDITH: "1", SENT: "3" });
  });

  it("ends soon on a pattern of many stars", () => {
    const envPolicy = { ...all, exclude: [`${"*a".repeat(200)}b`] };
    const name = "A".repeat(5000);
    expect(childEnvironment({ envPolicy, env: {} }, { [name]: "1" })).toEqual({ [name]: "1" });
  });

  it("refuses patterns that would take for ever, of whatever length they and the names are", () => {
    const long = { ...all, set: { ["a".repeat(400_000)]: "" } };
    const one = { ...long, includeOnly: [`*${"a".repeat(200_000)}b`] };
    const many = { ...long, includeOnly: Array.from({ length: 10_000 }, () => "*b") };
    const set = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, name) => [`${1e5 + name}`, ""]),
    );
    const stars = { ...all, set, includeOnly: [`??????${"*".repeat(1_000_000)}`] };
    expect(childEnvironment({ envPolicy: stars, env: {} }, {})).toEqual(set);
    for (const envPolicy of [one, many]) {
      expect(() => childEnvironment({ envPolicy, env: {} }, own)).toThrow(
        /Cannot use "envPolicy": .*, expected fewer and shorter ones/,
      );
    }
  }, 30_000);
});
