import { describe, expect, it } from "vitest";
import { RPC_CODES, RpcError, RpcFailure, toWireError } from "../../src/rpc/index.ts";

describe("RpcError", () => {
  it.each(Object.entries(RPC_CODES))("writes %s as %i and reads it back", (name, number) => {
    expect(new RpcError(name as keyof typeof RPC_CODES, "m").wireCode).toBe(number);
    expect(new RpcError(number, "m").code).toBe(name);
  });

  it("keeps a number it has no name for", () => {
    const error = new RpcError(-32099, "m");
    expect(error).toMatchObject({ code: "other", wireCode: -32099 });
  });

  it("omits absent data and keeps the cause at home", () => {
    const cause = new Error("secret");
    expect(new RpcError("conflict", "m", { cause }).toWire()).toEqual({
      code: -32010,
      message: "m",
    });
    expect(new RpcError("conflict", "m", { cause }).cause).toBe(cause);
    expect(new RpcError("conflict", "m", { data: null }).toWire()).toHaveProperty("data", null);
  });
});

describe("toWireError", () => {
  it.each([
    ["an Error", new Error("password=hunter2")],
    ["a local failure", new RpcFailure("closed", "to the database at 10.0.0.1")],
    ["a string", "hunter2"],
    ["nothing", undefined],
  ])("hides the text of %s and logs it", (_, fault) => {
    const logged: unknown[] = [];
    const wire = toWireError(fault, (one) => logged.push(one));
    expect(wire).toEqual({ code: -32603, message: "internal error" });
    expect(logged).toEqual([fault]);
  });

  it("passes an RpcError on and logs nothing", () => {
    const logged: unknown[] = [];
    const error = new RpcError("notFound", "no such thing", { data: { id: 7 } });
    const wire = toWireError(error, (one) => logged.push(one));
    expect(wire).toEqual({ code: -32004, message: "no such thing", data: { id: 7 } });
    expect(logged).toEqual([]);
  });
});
