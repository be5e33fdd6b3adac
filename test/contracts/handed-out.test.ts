/** Whoever uses the library can name what it takes and gives: in a parameter, a field, a declaration file. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { unnamedTypes } from "./support/handed-out.ts";
import { readText } from "./support/repository.ts";

const { exports: subpaths } = z
  .object({ exports: z.record(z.string(), z.unknown()) })
  .parse(JSON.parse(readText("package.json")));
const doors = Object.values(subpaths).flatMap((target) => {
  const found = z.object({ types: z.string() }).safeParse(target);
  return found.success ? [found.data.types.replace("./", "")] : [];
});

/** The door of the layer that a file belongs to. */
const doorOf = (file: string) => file.replace(/^(dist\/[^/]+)\/.*/, "$1/index.d.ts");

/** Made by writ alone: what they are made of is nobody else's. */
const NOT_MADE_BY_USERS = [
  "SandboxTools needs ToolsParts of dist/session/tools/sandbox-tools.d.ts",
];

describe("types of the library (run: npm run build)", () => {
  it.each(doors)("are all named that %s hands out", (door) => {
    const unnamed = unnamedTypes(door, doorOf);
    expect(unnamed.filter((type) => !NOT_MADE_BY_USERS.includes(type))).toEqual([]);
  });
});
