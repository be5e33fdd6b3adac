import { describe, expect, it } from "vitest";
import type { LaunchRequest } from "../../src/sandbox/index.ts";
import { refuseUnpassable } from "../../src/sandbox/refuse-unpassable.ts";

function refuse(request: Partial<LaunchRequest>) {
  return () => refuseUnpassable({ command: ["true"], env: {}, ...request } as LaunchRequest);
}

describe("refuseUnpassable", () => {
  it("lets pass what a process can be given", () => {
    const env = { A: "", "odd name": "a=b\nc", LONG: "x".repeat(131_066) };
    const command = ["true", "", "a b\n", "x".repeat(131_071)] as const;
    expect(refuse({ command, env })).not.toThrow();
  });

  it.each<[string, Partial<LaunchRequest>]>([
    ["an empty program", { command: [""] }],
    ["a NUL in the program", { command: ["tr\0ue"] }],
    ["a NUL in an argument", { command: ["true", "a\0b"] }],
    ["half a character in an argument", { command: ["true", "a\ud800b"] }],
    ["half a character in a name", { env: { "A\ud800": "x" } }],
    ["half a character in a value", { env: { A: "\udc00x" } }],
    ["an argument that is longer than one may be", { command: ["true", "é".repeat(65_536)] }],
    ["a variable that is longer than one may be", { env: { A: "x".repeat(131_070) } }],
    ["an empty name", { env: { "": "x" } }],
    ["a name with an equals sign", { env: { "A=B": "x" } }],
    ["a NUL in a name", { env: { "A\0B": "x" } }],
  ])("refuses %s", (_, request) => {
    expect(refuse(request)).toThrow(/^Cannot (start|set the variable) "/);
  });

  it("refuses a value that would go on as arguments of the launcher, and does not repeat it", () => {
    const value = "x\0--bind\0/\0/";
    expect(refuse({ env: { A: value } })).toThrow(/"A": expected .* no NUL character$/);
    expect(refuse({ env: { A: value } })).not.toThrow(/--bind/);
  });
});
