import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readParams } from "../../../src/rpc/issues/read-params.ts";

const read = (schema: z.ZodType, params: unknown) =>
  readParams(schema, params, { numbers: "value" });

describe("readParams", () => {
  it.each([undefined, null])("takes %j as absent where params may be absent or null", (params) => {
    expect(read(z.object({}).optional(), params)).toEqual({ kind: "read", value: undefined });
    expect(read(z.object({}).nullable(), params)).toEqual({ kind: "read", value: null });
    expect(read(z.object({}).default({}), params)).toEqual({ kind: "read", value: {} });
  });

  it.each([undefined, null])(
    "refuses %j where params are needed, and says they were absent",
    (params) => {
      expect(read(z.object({}), params)).toEqual({
        kind: "refused",
        problem: "invalid type: null, expected a map",
        absent: true,
      });
    },
  );

  it("returns what the schema made of the params", () => {
    const schema = z.object({ size: z.int().default(1) });
    expect(read(schema, { extra: true })).toEqual({ kind: "read", value: { size: 1 } });
    expect(read(schema, { size: "1" })).toMatchObject({ kind: "refused", absent: false });
  });
});
