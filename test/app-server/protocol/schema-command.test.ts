import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { writ } from "../../cli/support/cli-world.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const SCHEMA = path.resolve(import.meta.dirname, "../../../schema");

describe("writ schema", () => {
  it("writes every published file, and leaves others where they are", async () => {
    const folder = temporaryFolder({ "out/mine.txt": "mine", "out/app-server.ts": "old" });
    expect(await writ(["schema", "--out", "out"], folder)).toEqual({ status: 0, out: "", err: "" });
    const out = path.join(folder, "out");
    expect(fs.readdirSync(out).sort()).toEqual([...fs.readdirSync(SCHEMA), "mine.txt"].sort());
    for (const file of ["app-server.json", "exec-server.json", "sandbox-policy.json"]) {
      expect(JSON.parse(fs.readFileSync(path.join(out, file), "utf8"))).toHaveProperty("$schema");
    }
    expect(fs.readFileSync(path.join(out, "app-server.ts"), "utf8")).toContain(
      "export type ThreadStartParams = {",
    );
    expect(fs.readFileSync(path.join(out, "mine.txt"), "utf8")).toBe("mine");
  });

  it("makes the folder", async () => {
    const folder = temporaryFolder();
    const { status } = await writ(["schema", "--out", path.join(folder, "a/b")]);
    expect(status).toBe(0);
    expect(fs.existsSync(path.join(folder, "a/b/app-server.json"))).toBe(true);
  });

  it.each([
    [[], 'Cannot write the schema: "--out" is missing, expected a folder'],
    [["--out", ""], 'Cannot use --out "": it is empty, expected a folder'],
    [["--out", "a", "b"], 'Cannot use "b": expected no argument'],
  ])("refuses %j", async (args, sentence) => {
    const { status, err } = await writ(["schema", ...args], temporaryFolder());
    expect(status).toBe(2);
    expect(err).toContain(sentence);
  });

  it.each(["taken", "taken/in"])("says where it cannot write: %s", async (out) => {
    const folder = temporaryFolder({ taken: "" });
    const { status, err } = await writ(["schema", "--out", out], folder);
    expect({ status, err }).toEqual({
      status: 1,
      err: `writ: Cannot write "${folder}/${out}": a file is in its way, expected a folder that can be written\n`,
    });
  });
});
