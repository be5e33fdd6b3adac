import { describe, expect, it } from "vitest";
import { readClientTools } from "../../src/app-server/handlers/read-client-tools.ts";

const tool = (name: string) => ({
  ...{ type: "function" as const, name, description: "Does it", inputSchema: { type: "object" } },
});
const space = (name: string, ...tools: readonly string[]) => ({
  ...{ type: "namespace" as const, name, description: "Some", tools: tools.map(tool) },
});

describe("tools that a client brings", () => {
  it.each([
    ["one name", [tool("a"), tool("a")]],
    ["one name in one namespace", [space("a", "b", "b")]],
    ["a name that is one with its namespace", [tool("a__b"), space("a", "b")]],
    ["names and namespaces that come to the same", [space("a", "b__c"), space("a__b", "c")]],
  ])("are refused with %s: a model could call one of the two alone", (_, tools) => {
    expect(() => readClientTools(tools as never)).toThrow("two have the same name");
  });

  it("are taken where a model can tell them apart", () => {
    const tools = [tool("a"), space("a", "a"), space("b", "a", "c")];
    expect(readClientTools(tools as never)).toHaveLength(4);
  });
});
