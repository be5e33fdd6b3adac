/** What the shell of a spare is told, carried out by the real one. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { type Order, orderFor } from "../../../src/sandbox/linux/order-for.ts";
import { locateShell } from "../../../src/sandbox/probe/locate-shell.ts";

const SHELL = locateShell() ?? "/usr/bin/dash";
const FOLDER = realpathSync(mkdtempSync(path.join(tmpdir(), "writ-order-")));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

function order(given: Partial<Order> = {}): string | undefined {
  return orderFor({
    command: ["/bin/true"],
    env: { PATH: "/usr/bin:/bin" },
    cwd: FOLDER,
    ...given,
  });
}

/** As the shell finds it, but in a file. */
function carryOut(text: string) {
  const file = path.join(FOLDER, "order");
  writeFileSync(file, text);
  const { status, stdout } = spawnSync(SHELL, [file], { env: {}, cwd: "/" });
  rmSync(file);
  return { status, words: String(stdout).split("\0").slice(0, -1) };
}

const word = fc
  .string({ unit: "binary" })
  .filter((text) => !text.includes("\0") && text.isWellFormed());

describe("orderFor", () => {
  it("hands every word and every value on as it is", () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 5 }), word, (words, value) => {
        const script = 'printf "%s\\0" "$VALUE" "$@"';
        const env = { PATH: "/usr/bin:/bin", VALUE: value };
        const text = order({ command: ["/bin/sh", "-c", script, "sh", ...words], env });
        expect(carryOut(text ?? "")).toEqual({ status: 0, words: [value, ...words] });
      }),
      { numRuns: 50 },
    );
  });

  it("adds no variable but the folder", () => {
    const env = { PATH: "/usr/bin:/bin", IFS: "a", PS4: "+", OLDPWD: "/x" };
    const { words } = carryOut(order({ command: ["env", "-0"], env }) ?? "");
    expect(words.sort()).toEqual(
      [`PWD=${FOLDER}`, ...Object.entries(env).map((pair) => pair.join("="))].sort(),
    );
  });

  it("runs nothing of an order that was cut off, wherever", () => {
    const command = ["/usr/bin/touch", "a", "b"] as const;
    const text = order({ command }) ?? "";
    const end = text.lastIndexOf("}");
    for (let length = 0; length <= end; length += 1) carryOut(text.slice(0, length));
    expect(readdirSync(FOLDER)).toEqual([]);
    carryOut(text);
    expect(readdirSync(FOLDER)).toEqual(["a", "b"]);
  });

  it.each<[string, Partial<Order>]>([
    ["a name that is no word", { env: { PATH: "/bin", "A-B": "" } }],
    [
      "an exported function of another shell",
      { env: { PATH: "/bin", "BASH_FUNC_x%%": "() { :; }" } },
    ],
    ["an empty name", { env: { PATH: "/bin", "": "x" } }],
    ["a variable of the shell's own", { env: { PATH: "/bin", OPTIND: "x" } }],
    ["a program that looks like a flag", { command: ["-c", "x"] }],
    ["a program to look for and no PATH", { command: ["true"], env: {} }],
  ])("has no words for %s", (_, given) => {
    expect(order(given)).toBeUndefined();
  });

  it("needs no PATH for a program that is named by its path", () => {
    expect(order({ env: {} })).toBeDefined();
  });
});
