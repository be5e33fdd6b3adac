import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type IssueWording, NoParams, renderIssues } from "../../../src/rpc/index.ts";

const say = (schema: z.ZodType, input: unknown, wording: IssueWording = { numbers: "value" }) => {
  const parsed = schema.safeParse(input);
  if (parsed.success) throw new Error("the input was accepted");
  return renderIssues({ schema, input, issues: parsed.error.issues }, wording);
};

const Shape = z.discriminatedUnion("type", [
  z.object({ type: z.literal("circle"), radius: z.number() }),
  z.object({
    type: z.literal("square"),
    side: z.int(),
    tag: z.strictObject({ x: z.string() }).optional(),
  }),
  z.object({ type: z.literal("none") }),
]);

const Params = z
  .object({
    name: z.string(),
    mode: z.enum(["fast", "slow", "off"]).optional(),
    shape: Shape.optional(),
    list: z.array(z.string()).optional(),
    env: z.record(z.string(), z.string()).optional(),
    size: z.int().optional(),
    either: z.union([z.string(), z.object({ path: z.string() })]).optional(),
    flag: z.boolean().optional(),
    level: z.literal([1, 2]).optional(),
  })
  .meta({ id: "RenderIssuesParams" });

describe("renderIssues", () => {
  it.each([
    [{}, "missing field `name`"],
    [{ name: 5 }, "invalid type: integer `5`, expected a string"],
    [{ name: 1.5 }, "invalid type: floating point `1.5`, expected a string"],
    [{ name: null }, "invalid type: null, expected a string"],
    [{ name: true }, "invalid type: boolean `true`, expected a string"],
    [{ name: [] }, "invalid type: sequence, expected a string"],
    [{ name: {} }, "invalid type: map, expected a string"],
    [{ name: "n", flag: "yes" }, 'invalid type: string "yes", expected a boolean'],
    [{ name: "n", list: "x" }, 'invalid type: string "x", expected a sequence'],
    [{ name: "n", list: ["a", 2] }, "invalid type: integer `2`, expected a string"],
    [{ name: "n", env: { A: 1 } }, "invalid type: integer `1`, expected a string"],
    [{ name: "n", size: 1.5 }, "invalid type: floating point `1.5`, expected i64"],
    [{ name: "n", size: "1" }, 'invalid type: string "1", expected i64'],
    [{ name: "n", level: 3 }, "invalid value: integer `3`, expected `1` or `2`"],
    [{ name: "n", level: "1" }, 'invalid type: string "1", expected `1` or `2`'],
    [{ name: "n", mode: "warp" }, "unknown variant `warp`, expected one of `fast`, `slow`, `off`"],
    [{ name: "n", mode: true }, "invalid type: boolean `true`, expected string or map"],
    [{ name: "n", shape: {} }, "missing field `type`"],
    [
      { name: "n", shape: { type: "blob" } },
      "unknown variant `blob`, expected one of `circle`, `square`, `none`",
    ],
    [{ name: "n", shape: { type: "circle" } }, "missing field `radius`"],
    [{ name: "n", shape: 4 }, "invalid type: integer `4`, expected a map"],
    [
      { name: "n", shape: { type: "square", side: 1, tag: { x: "", y: 1 } } },
      "unknown field `y`, expected `x`",
    ],
    [{ name: "n", either: 5 }, "invalid type: integer `5`, expected a string or a map"],
    [{ name: "n", either: { path: 5 } }, "invalid type: integer `5`, expected a string"],
    [{ name: "n", either: {} }, "missing field `path`"],
    [null, "invalid type: null, expected struct RenderIssuesParams"],
    [[], "invalid type: sequence, expected struct RenderIssuesParams"],
  ])("says of %j: %s", (input, sentence) => {
    expect(say(Params, input)).toBe(sentence);
  });

  it.each([
    [z.int().min(0), "i64"],
    [z.number().int(), "i64"],
    [z.uint32(), "u32"],
    [z.number().min(0), "f64"],
  ])("names the kind of number that is expected, %#", (schema, name) => {
    expect(say(schema, "1")).toBe(`invalid type: string "1", expected ${name}`);
  });

  it("reports a wrong member before one that is missing from the end", () => {
    expect(say(Params, { mode: "warp" })).toMatch(/^unknown variant/);
  });

  it("names numbers by kind where the dialect wants that", () => {
    expect(say(Params, { name: 5 }, { numbers: "kind" })).toBe(
      "invalid type: number, expected a string",
    );
  });

  it("lists the members a strict object knows", () => {
    const strict = z.strictObject({
      a: z.string().optional(),
      b: z.string().optional(),
      c: z.string().optional(),
    });
    expect(say(strict, { z: 1 })).toBe("unknown field `z`, expected one of `a`, `b`, `c`");
    expect(say(z.strictObject({}), { z: 1 })).toBe("unknown field `z`, there are no fields");
  });

  it("joins two names with or", () => {
    expect(say(z.enum(["a", "b"]), "c")).toBe("unknown variant `c`, expected `a` or `b`");
    expect(say(z.union([z.literal("a"), z.literal("b")]), "c")).toBe(
      "unknown variant `c`, expected `a` or `b`",
    );
  });

  it.each([
    [[], "invalid type: sequence, expected unit"],
    [{ a: 1 }, "invalid type: map, expected unit"],
    [5, "invalid type: integer `5`, expected unit"],
  ])("expects a unit where a method takes no params: %j", (input, sentence) => {
    expect(say(NoParams, input)).toBe(sentence);
  });

  it("repeats a refinement's own message", () => {
    const even = z.int().refine((n) => n % 2 === 0, "expected an even number");
    expect(say(z.object({ n: even }), { n: 3 })).toBe("expected an even number");
  });

  it("cuts a long stranger's text", () => {
    expect(say(z.boolean(), "x".repeat(1e6)).length).toBeLessThan(300);
    expect(say(z.enum(["a"]), "x".repeat(1e6)).length).toBeLessThan(300);
    expect(say(z.strictObject({}), { ["x".repeat(1e6)]: 1 }).length).toBeLessThan(300);
  });

  it("follows a recursive schema", () => {
    const Tree = z.object({
      name: z.string(),
      get children() {
        return z.array(Tree).optional();
      },
    });
    const input = { name: "a", children: [{ name: "b", children: [{ name: 3 }] }] };
    expect(say(Tree, input)).toBe("invalid type: integer `3`, expected a string");
  });
});
