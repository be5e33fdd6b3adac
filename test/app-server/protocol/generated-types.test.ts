import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type {
  ClientNotifications,
  ClientRequests,
  ServerNotifications,
  ServerRequests,
  ThreadStartParams,
} from "../../../schema/app-server.ts";
import { appProtocol } from "../../../src/app-server/protocol/app-protocol.ts";
import { method, notification, protocol } from "../../../src/rpc/index.ts";
import { typeDeclarations } from "../../../tools/type-declarations.ts";
import { started } from "./support/said.ts";

type Result<Name extends keyof ClientRequests> = ClientRequests[Name]["result"];

/** The module for a protocol of one method with these params. */
function declared(params: z.ZodType): string {
  const only = method("a/b", { summary: "Do it", params, result: z.object({}) });
  return typeDeclarations(
    protocol({ name: "p", summary: "All.", toServer: { only }, toClient: {} }),
  );
}

describe("the types for clients", () => {
  it("fit what is declared", () => {
    const { thread, turn, session } = appProtocol.toServer;
    const { notify, ask } = appProtocol.toClient;
    const answer = thread.start.result.parse(started);
    const seen: Result<"thread/start"> = answer;
    expect(seen.writ.projection.lossy).toBe(true);
    const params: z.input<typeof thread.start.params> = { sandbox: "read-only", cwd: null };
    const said: ThreadStartParams = { ...params, sandboxPolicy: { type: "readOnly" } };
    expect(said.cwd).toBeNull();
    expectTypeOf<z.output<typeof turn.start.result>>().toExtend<Result<"turn/start">>();
    expectTypeOf<z.output<typeof session.initialize.result>>().toExtend<Result<"initialize">>();
    expectTypeOf<z.output<typeof notify.itemCompleted.params>>().toExtend<
      ServerNotifications["item/completed"]["params"]
    >();
    expectTypeOf<ServerRequests["item/commandExecution/requestApproval"]["result"]>().toExtend<
      z.input<typeof ask.commandApproval.result>
    >();
    expectTypeOf<keyof ClientNotifications>().toEqualTypeOf<"initialized">();
  });

  it("have no policy of an unknown kind", () => {
    // @ts-expect-error: there are four.
    const wrong: ThreadStartParams = { sandboxPolicy: { type: "nonsense" } };
    // @ts-expect-error: modes are written with a dash.
    const older: ThreadStartParams = { sandbox: "readOnly" };
    expect([wrong, older]).toHaveLength(2);
  });
});

describe("typeDeclarations", () => {
  it.each([
    [z.object({ a: z.string() }), "readonly a: string;"],
    [z.object({ a: z.int().optional() }), "readonly a?: number | undefined;"],
    [z.object({ a: z.array(z.string().nullable()) }), "readonly a: readonly (string | null)[];"],
    [
      z.object({ a: z.array(z.array(z.boolean())) }),
      "readonly a: readonly (readonly boolean[])[];",
    ],
    [z.object({ a: z.enum(["x", "y"]).nullish() }), 'readonly a?: "x" | "y" | null | undefined;'],
    [
      z.object({ a: z.record(z.string(), z.null()) }),
      "readonly a: Readonly<Record<string, null>>;",
    ],
    [z.object({ a: z.unknown() }), "readonly a: unknown;"],
    [z.object({ a: z.array(z.never()) }), "readonly a: readonly never[];"],
    [z.object({ "a-b": z.literal(1) }), 'readonly "a-b": 1;'],
    [z.looseObject({ a: z.string() }), "readonly [member: string]: unknown;"],
    [z.object({ a: z.string().describe("Ends */ here") }), "/** Ends * / here */"],
  ])("writes a member", (shape, text) => {
    expect(declared(shape)).toContain(text);
  });

  it("names a shape once and refers to it", () => {
    const Named = z.object({ b: z.string() }).meta({ id: "Named", description: "Has a name." });
    const text = declared(z.object({ one: Named, two: Named.nullable() }));
    expect(text.match(/export type Named = \{\n {2}readonly b: string;\n\};/g)).toHaveLength(1);
    expect(text).toContain("readonly one: Named;");
    expect(text).toContain("readonly two: Named | null;");
  });

  it("tells the four kinds of messages apart", () => {
    const ask = method("ask", { summary: "Ask", result: z.string() });
    const tell = notification("tell", {
      summary: "Tell",
      params: z.object({}),
      experimental: true,
    });
    const tree = { ask, tell };
    const text = typeDeclarations(
      protocol({ name: "p", summary: "All.", toServer: tree, toClient: tree }),
    );
    for (const kind of ["ClientRequests", "ServerRequests"]) {
      expect(text).toMatch(new RegExp(`interface ${kind} \\{\\s+/\\*\\* Ask\\. \\*/\\s+"ask":`));
    }
    for (const kind of ["ClientNotifications", "ServerNotifications"]) {
      expect(text).toMatch(
        new RegExp(`interface ${kind} \\{\\s+/\\*\\* Tell\\. Experimental\\. \\*/\\s+"tell":`),
      );
    }
  });
});
