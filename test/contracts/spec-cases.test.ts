/** The cases that a specification of lazy sandboxes has: each is a test, or it is said why there is none. */
import { describe, expect, it } from "vitest";
import { codeFiles, readText } from "./support/repository.ts";

const LAST = 115;
/** Numbers elsewhere are those of other specifications. */
const FOLDERS = [
  "test/session",
  "test/agent",
  "test/os/session",
  "test/os/snapshots",
  "test/os/agent",
];

const NO_PLUGINS = "there are no plugins: a skill is a folder, and whose it is says its root";
const NO_CREDENTIALS = "commands get no credentials from the host, so none are asked for or put in";

const WITHOUT_TEST: Readonly<Record<number, string>> = {
  3: "a turn is not cut into parts that begin anew; what was loaded holds to its end",
  24: "an account is handed to the provider whole, and one without a part of it is refused",
  25: "no credentials are looked for in the environment",
  26: "as 24: a part of an account is a refusal, not as if there were none",
  45: "there are no reference files besides those of skills",
  93: "no command is answered by the host: a shell command runs in the sandbox or not at all",
  105: NO_PLUGINS,
  106: NO_PLUGINS,
  110: NO_CREDENTIALS,
  111: NO_CREDENTIALS,
  112: NO_CREDENTIALS,
  113: NO_CREDENTIALS,
  114: "tools of MCP servers are called by their own names, with the arguments that they declare",
  115: "no status is shown that would have to be cleared: events are told in their order",
};

/** `case 8`, `cases 19, 20`, in the name of a test or in the table of its names. */
function casesIn(text: string): number[] {
  return [...text.matchAll(/["`][^"`\n]*\bcases? (\d+(?:(?:, | and )\d+)*)[^"`\n]*["`]/g)].flatMap(
    ([, numbers = ""]) => numbers.split(/, | and /).map(Number),
  );
}

describe("the cases of lazy sandboxes", () => {
  const tested = new Set(codeFiles(...FOLDERS).flatMap((file) => casesIn(readText(file))));
  const all = Array.from({ length: LAST }, (_, at) => at + 1);

  it("are all tests, or have a reason not to be one", () => {
    expect(all.filter((one) => !tested.has(one) && !(one in WITHOUT_TEST))).toEqual([]);
  });

  it("have no reason where they have a test, and no number that there is not", () => {
    const said = Object.keys(WITHOUT_TEST).map(Number);
    expect(said.filter((one) => tested.has(one))).toEqual([]);
    expect([...tested].filter((one) => one < 1 || one > LAST)).toEqual([]);
  });
});
