import { describe, expect, it } from "vitest";
import { parseDependencies } from "../../../src/session/index.ts";
import { isFloating, profileHash } from "../../../src/session/snapshots/profile-hash.ts";

const read = (value: object) => parseDependencies(value, "dependencies");
const npm = (packages: Readonly<Record<string, string>>) => ({ npm: packages, network: true });

function profile(value: object) {
  const found = read(value);
  if (found === null) throw new Error("it asks for nothing");
  return found;
}

describe("parseDependencies", () => {
  it.each([
    ["nothing", {}],
    ["empty lists", { npm: {}, postinstall: [], system: [] }],
    ["a network for nothing", { network: true, epoch: "2" }],
  ])("case 76: finds no profile in %s", (_, value) => {
    expect(read(value)).toBeNull();
  });

  it("writes one profile in one way", () => {
    const one = profile({ ...npm({ b: "1.0.0", a: "2.0.0" }), system: ["z", "y", "z"] });
    const other = profile({ ...npm({ a: "2.0.0", b: "1.0.0" }), system: ["y", "z"] });
    expect(profileHash(one, "r")).toBe(profileHash(other, "r"));
    expect(Object.keys(one.npm)).toEqual(["a", "b"]);
  });

  it.each<[string, object]>([
    ["packages without a word on the network", { npm: { a: "1.0.0" } }],
    ["packages with the network closed", { npm: { a: "1.0.0" }, network: false }],
    ["a network that is no yes or no", { npm: { a: "1.0.0" }, network: "true" }],
    ["an unknown member", { ...npm({ a: "1.0.0" }), scripts: false }],
    ["a name that is a flag", npm({ "--global": "1.0.0" })],
    ["a name that is a path", npm({ "../a": "1.0.0" })],
    ["a name that is a URL", npm({ "https://a.example/x": "1.0.0" })],
    ["a name that is two", npm({ "a b": "1.0.0" })],
    ["a name that is empty", npm({ "": "1.0.0" })],
    ["a version that is a file", npm({ a: "file:/etc" })],
    ["a version that is a repository", npm({ a: "git+ssh://host/a" })],
    ["a version that is another package", npm({ a: "npm:b@1" })],
    ["a version that is the name of a file", npm({ a: "b.tgz" })],
    ["a version that is the name of an archive", npm({ a: "b.TAR.gz" })],
    ["a name that is that of a file", npm({ "a.tar": "1.0.0" })],
    ["a version that is empty", npm({ a: "" })],
    ["a version that is no text", { npm: { a: 1 }, network: true }],
    ["a registry with a password", { ...npm({ a: "1.0.0" }), registry: "https://u:p@r.example/" }],
    ["a registry in the clear", { ...npm({ a: "1.0.0" }), registry: "http://r.example/" }],
    ["a registry for nothing", { postinstall: [["true"]], registry: "https://r.example/" }],
    ["a command that is a line", { postinstall: ["npm i"] }],
    ["a command without a program", { postinstall: [[]] }],
    ["a command with an empty program", { postinstall: [[""]] }],
    ["an argument with NUL", { postinstall: [["echo", "\0"]] }],
    ["a system package that is a flag", { system: ["--allow"] }],
    ["an age below nothing", { postinstall: [["true"]], maxAgeHours: -1 }],
    ["half an hour", { postinstall: [["true"]], maxAgeHours: 0.5 }],
    [
      "too many packages",
      npm(Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`p${n}`, "1.0.0"]))),
    ],
  ])("refuses %s", (_, value) => {
    expect(() => read(value)).toThrow(/^Cannot (?:read|use) "dependencies/);
  });

  it.each(["1.2.3", "^1.2.3", "~1", "*", "latest", ">=1 <2", "1.x || 2.x", "1.0.0-rc.1"])(
    "takes %j for what is wanted of a package",
    (version) => {
      expect(read(npm({ "@scope/name": version }))?.npm).toEqual({ "@scope/name": version });
    },
  );
});

describe("profileHash", () => {
  const base = { ...npm({ a: "1.0.0" }), postinstall: [["x", "1"]] };

  it.each<[string, object]>([
    ["case 79: the epoch", { epoch: "2" }],
    ["a version", { npm: { a: "1.0.1" } }],
    ["a package", { npm: { a: "1.0.0", b: "1.0.0" } }],
    ["an argument", { postinstall: [["x", "2"]] }],
    ["the order of commands", { postinstall: [["y"], ["x", "1"]] }],
    ["the registry", { registry: "https://r.example/" }],
  ])("is another for %s", (_, more) => {
    const other = profile({ ...base, ...more });
    expect(profileHash(other, "r")).not.toBe(profileHash(profile(base), "r"));
  });

  it("is another for another machine, and the same whatever the age may be", () => {
    const one = profile(base);
    expect(profileHash(one, "r")).not.toBe(profileHash(one, "s"));
    expect(profileHash(profile({ ...base, maxAgeHours: 1 }), "r")).toBe(profileHash(one, "r"));
    expect(profileHash(one, "r")).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe("isFloating", () => {
  it.each<[string, object, boolean]>([
    ["exact versions", npm({ a: "1.2.3", b: "1.0.0-rc.1+5" }), false],
    ["a range", npm({ a: "^1.2.3" }), true],
    ["a tag", npm({ a: "1.2.3", b: "latest" }), true],
    ["a part of a version", npm({ a: "1.2" }), true],
    ["case 78: a command", { postinstall: [["true"]] }, true],
    ["packages of the system", { system: ["gh"] }, false],
  ])("%s: %s", (_, value, floats) => {
    expect(isFloating(profile(value))).toBe(floats);
  });
});
