import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import document from "../../../schema/app-server.json" with { type: "json" };
import { items, started, turn } from "./support/said.ts";

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });
ajv.addSchema({ ...document, $id: "http://x/p" });

/** Whether the published schema takes a value at `direction/method/member`. */
function takes(direction: string, name: string, { params, result }: Record<string, unknown>) {
  const member = params === undefined ? "result" : "params";
  const place = `${direction}/properties/${name.replaceAll("/", "~1")}/properties/${member}`;
  const validate = ajv.getSchema(`http://x/p#/properties/${place}`);
  if (!validate) throw new Error(`no schema at ${place}`);
  return validate(params ?? result);
}

const startsWith = (sandboxPolicy: unknown) =>
  takes("toServer", "thread/start", { params: { sandboxPolicy } });

describe("the published schema of the app-server", () => {
  it("takes what a server answers", () => {
    expect(takes("toServer", "thread/start", { result: started })).toBe(true);
    expect(takes("toServer", "turn/start", { result: { turn } })).toBe(true);
  });

  it("A16 takes a whole policy where a thread begins", () => {
    const readOnlyAccess = { type: "restricted", readableRoots: ["/r"] };
    expect(startsWith({ type: "workspaceWrite", writableRoots: ["/a"], readOnlyAccess })).toBe(
      true,
    );
    expect(startsWith({ type: "readOnly" })).toBe(true);
    expect(startsWith(null)).toBe(true);
  });

  it.each([
    [{ type: "nonsense" }],
    [{}],
    ["readOnly"],
    [{ type: "readOnly", networkAccess: "no" }],
  ])("A17 has no place for the policy %j", (sandboxPolicy) => {
    expect(startsWith(sandboxPolicy)).toBe(false);
  });

  it("N25 demands every member of an item", () => {
    const at = { threadId: "t", turnId: "1", completedAtMs: 1 };
    const { writ: _, ...bare } = items.commandExecution;
    const completed = (item: unknown) =>
      takes("toClient", "item/completed", { params: { ...at, item } });
    expect(Object.values(items).filter((item) => !completed(item))).toEqual([]);
    expect(completed(bare)).toBe(false);
  });

  it("shows the exact profile as the canonical dialect writes it", () => {
    const permissionProfile = { type: "managed", network: "restricted" };
    const wrong = { ...started, writ: { ...started.writ, permissionProfile } };
    expect(takes("toServer", "thread/start", { result: wrong })).toBe(false);
  });
});
