import { type ChildProcess, spawn } from "node:child_process";
import readline from "node:readline";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { campaign } from "../../support/campaign.ts";
import { placeFor, type SandboxUser, USERS } from "../support/sandbox-user.ts";
import { testProgram } from "../support/test-program.ts";
import { type AlikeCase, alikeCase, NAMES } from "./support/alike-case.ts";

/** Asks one driver after the other case; it lives as long as the test. */
class Driver {
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  constructor(user: SandboxUser) {
    const { argv, installed, env } = placeFor(user);
    const driver = testProgram(installed, "alike-driver");
    const [program = "", ...args] = [...argv([]).slice(0, -1), ...driver];
    this.#child = spawn(program, args, { cwd: "/", env, stdio: ["pipe", "pipe", "inherit"] });
    if (this.#child.stdout === null) throw new Error("Cannot read the driver");
    this.#answers = readline.createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async differences(asked: AlikeCase): Promise<string[]> {
    this.#child.stdin?.write(`${JSON.stringify({ ...asked, names: NAMES })}\n`);
    const { value, done } = await this.#answers.next();
    return done ? ["the driver has ended"] : JSON.parse(value);
  }

  close(): void {
    this.#child.stdin?.end();
  }
}

let driver: Driver | undefined;
afterEach(() => driver?.close());

describe.each(USERS)("as %s, file operations", (user) => {
  it("answer like a command in the sandbox, whatever the policy and the tree", async () => {
    driver = new Driver(user);
    const asked = driver;
    const property = fc.asyncProperty(alikeCase, async (one) => {
      expect(await asked.differences(one)).toEqual([]);
    });
    await fc.assert(property, campaign(400) as fc.Parameters<[AlikeCase]>);
  }, 300_000);

  it("answer alike about a link into what is denied", async () => {
    driver = new Driver(user);
    const differences = await driver.differences({
      items: [
        { name: "ws/a", kind: "folder" },
        { name: "ws/a/f", kind: "file" },
        { name: "ws/a/b/f", kind: "file" },
        { name: "ws/to-file", kind: "link", target: "a/f" },
      ],
      root: "read",
      workspace: "write",
      rules: [
        { name: "ws/a/b", access: "read" },
        { name: "ws/a", access: "deny" },
      ],
      glob: null,
    });
    expect(differences).toEqual([]);
  });

  it("answer alike about what belongs to somebody else", async () => {
    driver = new Driver(user);
    const theirs = { owner: 1000, kind: "file" } as const;
    const differences = await driver.differences({
      items: [
        { name: "ws/c", kind: "folder", mode: 0o1777, owner: 1000 },
        { name: "ws/c/f", mode: 0o666, ...theirs },
        { name: "ws/a/f", mode: 0o600, ...theirs },
        { name: "ws/f", mode: 0o644, ...theirs },
        { name: "out/d", kind: "folder", mode: 0o700, owner: 1000 },
        { name: "out/d/f", mode: 0o644, ...theirs },
      ],
      root: "read",
      workspace: "write",
      rules: [{ name: "out", access: "write" }],
      glob: null,
    });
    expect(differences).toEqual([]);
  });
});
