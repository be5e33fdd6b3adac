import { describe, expect, it } from "vitest";
import { loadFrom as load } from "../support/load-from.ts";

describe("readDependencies", () => {
  it("is empty where the user's file says nothing", async () => {
    expect((await load({})).dependencies).toEqual({});
  });

  it("reads every key by its own name", async () => {
    const text = `[dependencies]
      npm = { typescript = "5.9.3" }
      postinstall = [["tsc", "--version"]]
      system = ["git"]
      network = true
      registry = "https://registry.example/"
      epoch = "2"
      max_age_hours = 1`;
    expect((await load({ "home/config.toml": text })).dependencies).toEqual({
      npm: { typescript: "5.9.3" },
      postinstall: [["tsc", "--version"]],
      system: ["git"],
      network: true,
      registry: "https://registry.example/",
      epoch: "2",
      maxAgeHours: 1,
    });
  });

  it.each([
    ["an unknown key", "[dependencies]\npip = {}", /unknown key "pip"/],
    ["a name of ours for one of the file", "[dependencies]\nmaxAgeHours = 1", /"maxAgeHours"/],
    ["something that is no table", 'dependencies = "a"', /expected a table/],
    ["a list", "dependencies = []", /expected a table/],
  ])("refuses %s", async (_, text, message) => {
    await expect(load({ "home/config.toml": text })).rejects.toThrow(message);
  });

  it.each(["[dependencies]", '[dependencies]\nnpm = { a = "1.0.0" }', 'dependencies = ""'])(
    "refuses a project that says %j, since it would run code of strangers",
    async (text) => {
      await expect(load({ "project/writ.toml": text })).rejects.toMatchObject({
        code: "widens",
        message: expect.stringContaining("a project must not install anything"),
      });
    },
  );
});
