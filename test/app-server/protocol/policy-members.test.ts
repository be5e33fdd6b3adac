import { describe, expect, it } from "vitest";
import { z } from "zod";
import { appProtocol } from "../../../src/app-server/protocol/app-protocol.ts";
import { declaredMembers } from "../../../src/app-server/protocol/declared-members.ts";
import {
  EXPERIMENTAL_APPROVAL,
  EXPERIMENTAL_MEMBERS,
} from "../../../src/app-server/protocol/experimental-members.ts";
import { declarationsOf, method, protocolSchema } from "../../../src/rpc/index.ts";
import { read, started, writ } from "./support/said.ts";

const { thread, turn, session } = appProtocol.toServer;

describe("the policy members", () => {
  it.each([
    ["a policy of the wrong shape", { type: "nonsense" }],
    ["a text", "readOnly"],
    ["a policy with a member that nobody knows", { type: "readOnly", onlyOnMondays: true }],
    ["a path that is not folded", { type: "workspaceWrite", writableRoots: ["/a//b/"] }],
  ])("leave %s as it came, for the one that reads policies", (_, sandboxPolicy) => {
    for (const name of ["thread/start", "turn/start", "thread/settings/update"]) {
      const params = { threadId: "t", input: [], sandboxPolicy };
      expect(read(name, params)).toHaveProperty("sandboxPolicy", sandboxPolicy);
    }
  });

  it("are described by the published policy all the same", () => {
    const document = JSON.parse(JSON.stringify(protocolSchema(appProtocol)));
    const { ThreadStartParams, TurnStartParams, SandboxPolicy } = document.$defs;
    for (const { properties } of [ThreadStartParams, TurnStartParams]) {
      expect(properties.sandboxPolicy.anyOf).toEqual([
        { $ref: "#/$defs/SandboxPolicy" },
        { type: "null" },
      ]);
    }
    const types = SandboxPolicy.oneOf.map(
      (one: { properties: { type: { const: string } } }) => one.properties.type.const,
    );
    expect(types).toEqual(["dangerFullAccess", "readOnly", "externalSandbox", "workspaceWrite"]);
  });

  it("are those that each method can act on", () => {
    const policy = ["sandboxPolicy", "sandbox", "permissions"];
    const found = (declaration: Parameters<typeof declaredMembers>[0]) =>
      policy.filter((name) => declaredMembers(declaration).has(name));
    for (const one of [thread.start, thread.resume, thread.fork])
      expect(found(one)).toEqual(policy);
    for (const one of [turn.start, thread.settingsUpdate]) {
      expect(found(one)).toEqual(["sandboxPolicy", "permissions"]);
    }
    for (const one of [thread.read, thread.shellCommand, turn.steer, session.initialize]) {
      expect(found(one)).toEqual([]);
    }
  });
});

describe("declaredMembers", () => {
  it("sees through params that may be absent", () => {
    const params = z.object({ one: z.string(), two: z.string().optional() });
    for (const shape of [params, params.nullish(), params.optional().default({ one: "" })]) {
      const declaration = method("a", { summary: "A", params: shape, result: z.null() });
      expect([...declaredMembers(declaration)]).toEqual(["one", "two"]);
    }
  });

  it("finds none where params may be anything", () => {
    expect([...declaredMembers(session.initialized)]).toEqual([]);
  });
});

describe("the policy that is shown", () => {
  it("is sent as it was written, paths included", () => {
    expect(thread.start.result.parse(started).writ).toEqual(writ);
  });

  it.each([
    ["no profile", undefined],
    ["a profile that nobody can read", { type: "managed" }],
    ["a profile with a member that nobody knows", { type: "disabled", but: true }],
  ])("is never %s", (_, permissionProfile) => {
    const wrong = { ...started, writ: { ...writ, permissionProfile } };
    expect(thread.start.result.safeParse(wrong).success).toBe(false);
  });

  it("has restricted reads only where there are any", () => {
    const access = { type: "restricted", includePlatformDefaults: true, readableRoots: ["/r"] };
    const echoes = [
      { type: "readOnly", networkAccess: false },
      { type: "readOnly", access, networkAccess: true },
    ];
    for (const sandbox of echoes) {
      expect(thread.start.result.parse({ ...started, sandbox }).sandbox).toEqual(sandbox);
    }
  });
});

describe("EXPERIMENTAL_MEMBERS", () => {
  it("names members that are declared", () => {
    const byName = new Map(declarationsOf(appProtocol.toServer).map((one) => [one.name, one]));
    const unknown = Object.entries(EXPERIMENTAL_MEMBERS).flatMap(([name, members]) => {
      const declaration = byName.get(name);
      const declared = declaration ? declaredMembers(declaration) : new Set<string>();
      return members.filter((member) => !declared.has(member)).map((one) => `${name}.${one}`);
    });
    expect(unknown).toEqual([]);
  });

  it("H03 gates the names of profiles and roots, and leaves the older members alone", () => {
    for (const name of ["thread/start", "thread/resume", "thread/fork", "turn/start"]) {
      expect(EXPERIMENTAL_MEMBERS[name]).toEqual(
        expect.arrayContaining(["permissions", "runtimeWorkspaceRoots"]),
      );
      expect(EXPERIMENTAL_MEMBERS[name]).not.toContain("sandboxPolicy");
      expect(EXPERIMENTAL_MEMBERS[name]).not.toContain("sandbox");
    }
    expect(EXPERIMENTAL_MEMBERS["command/exec"]).toEqual(["permissionProfile"]);
    expect(EXPERIMENTAL_APPROVAL).toBe("askForApproval.granular");
  });

  it("N19 marks what is experimental as a whole", () => {
    expect(thread.settingsUpdate.experimental).toBe(true);
    expect(appProtocol.toClient.notify.threadSettingsUpdated.experimental).toBe(true);
    expect(thread.start.experimental).toBe(false);
  });
});
