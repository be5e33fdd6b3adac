import { describe, expect, it } from "vitest";
import { readVariables } from "../../src/config/read-variables.ts";

const read = (value: unknown) => readVariables(value, "config.toml.environment");

describe("readVariables", () => {
  it("is the short list where nothing is said", () => {
    const usual = { inherit: "core", include: [], exclude: [], set: {} };
    expect(read(undefined)).toEqual(usual);
    expect(read({})).toEqual(usual);
  });

  it("reads all there is to say", () => {
    const table = { inherit: "all", include: ["A"], exclude: ["B"], set: { C: "" } };
    expect(read(table)).toEqual(table);
  });

  it.each([
    ["a list", []],
    ["an unknown key", { inherits: "all" }],
    ["an unknown way to inherit", { inherit: "some" }],
    ["a name that is no text", { include: [1] }],
    ["an empty name", { exclude: [""] }],
    ["a pattern, which would exclude nothing", { exclude: ["AWS_*"] }],
    ["a name with an equals sign", { set: { "A=B": "x" } }],
    ["a number as a value", { set: { A: 1 } }],
    ["a NUL in a value", { set: { A: "x\0y" } }],
    ["a list of settings", { set: ["A=b"] }],
  ])("refuses %s", (_, value) => {
    expect(() => read(value)).toThrow(/^Cannot read "config\.toml\.environment/);
  });
});
