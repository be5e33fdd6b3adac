import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  type JsonSchema,
  method,
  notification,
  protocol,
  protocolPage,
  protocolSchema,
} from "../../../src/rpc/index.ts";

const Color = z.enum(["red", "green"]).meta({ id: "Color", description: "A paint." });
const Style = z
  .object({ color: Color, width: z.int().default(1).describe("In points | or so.") })
  .meta({ id: "Style" });
const Layer = z.object({ style: Style }).meta({ id: "Layer" });
const Tree = z.object({
  name: z.string(),
  get children() {
    return z.array(Tree).optional();
  },
});

const drawing = protocol({
  name: "drawing",
  summary: "Draws things.",
  toServer: {
    draw: method("draw/start", { summary: "Draw a layer", params: Layer, result: Layer }),
    plant: method("draw/plant", {
      summary: "Plant",
      params: Tree,
      result: z.null(),
      experimental: true,
    }),
    clear: method("draw/clear", {
      summary: "Clear",
      result: z.strictObject({ cleared: z.boolean() }),
    }),
  },
  toClient: {
    drawn: notification("draw/done", {
      summary: "Done",
      params: z.object({ color: Color.nullable() }),
    }),
  },
});

const document = protocolSchema(drawing);
const at = (pointer: string) => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  ajv.addSchema({ ...document, $id: "http://x/p" });
  const validate = ajv.getSchema(`http://x/p#/properties/${pointer}`);
  if (!validate) throw new Error(`no schema at ${pointer}`);
  return (value: unknown) => validate(value);
};

describe("protocolSchema", () => {
  it("refuses two types that have one id", () => {
    const declare = (name: string, params: z.ZodType) =>
      method(name, { summary: "Thing", params, result: z.null() });
    const describeBoth = (one: z.ZodType, two: z.ZodType) =>
      protocolSchema({
        name: "things",
        summary: "Things.",
        toServer: { one: declare("one", one), two: declare("two", two) },
        toClient: {},
      });
    const Thing = z.object({ a: z.string() }).meta({ id: "SchemaThing" });
    expect(() => describeBoth(Thing, Thing)).not.toThrow();
    const Other = z.object({ b: z.int() }).meta({ id: "SchemaThing" });
    expect(() => describeBoth(Thing, Other)).toThrow(
      'Cannot describe "SchemaThing": two types have this id, expected one',
    );
  });

  it("is a schema that a strict validator compiles", () => {
    expect(() => new Ajv2020({ strict: true }).compile(document)).not.toThrow();
  });

  it("is the same text every time", () => {
    expect(JSON.stringify(protocolSchema(drawing))).toBe(JSON.stringify(document));
  });

  it("describes params as they may be written and results as they will be read", () => {
    const params = at("toServer/properties/draw~1start/properties/params");
    const result = at("toServer/properties/draw~1start/properties/result");
    const bare = { style: { color: "red" } };
    expect(params(bare)).toBe(true);
    expect(result(bare)).toBe(false);
    expect(result({ style: { color: "red", width: 2, extra: 1 } })).toBe(true);
    expect(params({ style: { color: "blue" } })).toBe(false);
  });

  it("shares a type whose two forms agree and splits one whose forms differ", () => {
    const names = Object.keys(document.$defs as JsonSchema);
    expect(names).toEqual(["Color", "Layer", "LayerOutput", "Style", "StyleOutput"]);
  });

  it("points a recursive root at its own place", () => {
    const params = at("toServer/properties/draw~1plant/properties/params");
    expect(params({ name: "a", children: [{ name: "b", children: [] }] })).toBe(true);
    expect(params({ name: "a", children: [{ name: 1 }] })).toBe(false);
  });

  it("marks what is experimental and what may be absent", () => {
    const methods = (
      document.properties as { toServer: { properties: Record<string, JsonSchema> } }
    ).toServer.properties;
    expect(methods["draw/plant"]).toMatchObject({ $comment: "experimental" });
    expect(methods["draw/clear"]).toMatchObject({ required: ["result"] });
    expect(methods["draw/start"]).not.toHaveProperty("$comment");
  });
});

describe("protocolPage", () => {
  const page = protocolPage(drawing);

  it("lists every method with its summary and mark", () => {
    expect(page).toContain("| `draw/start` | request | Draw a layer |  |");
    expect(page).toContain("| `draw/plant` | request | Plant | experimental |");
    expect(page).toContain("| `draw/done` | notification | Done |  |");
  });

  it("gives type, need, default and description of a member, with pipes escaped", () => {
    expect(page).toContain("| `width` | integer | no | `1` | In points \\| or so. |");
    expect(page).toContain("| `style` | Style | yes |  |  |");
    expect(page).toContain("| `color` | Color or null | yes |  |  |");
  });

  it("describes shared types once", () => {
    expect(page).toContain('### Color\n\nA paint.\n\n"red" or "green"');
    expect(page).toBe(protocolPage(drawing));
  });
});
