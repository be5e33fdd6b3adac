import { describe, expect, it } from "vitest";
import { z } from "zod";
import { appProtocol } from "../../../src/app-server/protocol/app-protocol.ts";
import {
  Configuration,
  Requirements,
} from "../../../src/app-server/protocol/shapes/configuration.ts";
import { type Declaration, declarationsOf } from "../../../src/rpc/index.ts";
import { items, started, turn, withoutEachMember } from "./support/said.ts";

type Schema = z.core.JSONSchema.BaseSchema;

/** What a server sends: results of what it is asked, params of what it says and asks. */
const sent = [
  ...declarationsOf(appProtocol.toServer).flatMap((one) =>
    one.kind === "request" ? [[one.name, one.result] as const] : [],
  ),
  ...declarationsOf(appProtocol.toClient).map((one) => [one.name, one.params] as const),
];

/** Members that may be null and may be left out. */
function omissible(schema: Schema, root: Schema, place: string): string[] {
  if (schema.$ref) {
    const target = root.$defs?.[schema.$ref.replace("#/$defs/", "")];
    return target ? omissible(target, root, place) : [];
  }
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const at = `${place}.${name}`;
    const optional = !(schema.required ?? []).includes(name);
    const deeper = omissible(member as Schema, root, at);
    return optional && takesNull(member as Schema) ? [at, ...deeper] : deeper;
  });
  const inside = [
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    schema.items,
    schema.additionalProperties,
  ];
  return [
    ...members,
    ...inside.flatMap((one) =>
      typeof one === "object" ? omissible(one as Schema, root, place) : [],
    ),
  ];
}

function takesNull(schema: Schema): boolean {
  const types: readonly unknown[] = [schema.type].flat();
  return types.includes("null") || (schema.anyOf ?? []).some((one) => takesNull(one as Schema));
}

describe("omissible", () => {
  it("finds members that may be null and may be left out, wherever they are", () => {
    const inner = z.object({ a: z.string().nullish(), b: z.null().optional(), c: z.null() });
    const Named = inner.meta({ id: "OmissibleNamed" });
    const shape = z.object({
      list: z.array(inner),
      map: z.record(z.string(), inner),
      choice: z.union([z.string(), inner]),
      named: Named.nullish(),
    });
    const schema = z.toJSONSchema(shape, { io: "output" });
    const places = ["list", "map", "choice", "named"].flatMap((one) => [
      `x.${one}.a`,
      `x.${one}.b`,
    ]);
    expect(omissible(schema, schema, "x").sort()).toEqual([...places, "x.named"].sort());
  });
});

describe("what a server sends", () => {
  it("N25 has every member that may be null", () => {
    const findings = sent.flatMap(([name, shape]) => {
      const schema = z.toJSONSchema(shape, { io: "output" });
      return omissible(schema, schema, name);
    });
    // The canonical profile is read by writ alone, and written as its dialect has it.
    const foreign = /\.permissionProfile\./;
    expect(findings.filter((place) => !foreign.test(place))).toEqual([]);
  });

  it.each(Object.entries(items))("N25 refuses to send a %s that lacks a member", (_, item) => {
    const { itemStarted } = appProtocol.toClient.notify;
    const params = { item, threadId: "t", turnId: "1", startedAtMs: 1 };
    expect(itemStarted.params.parse(params)).toEqual(params);
    const passed = withoutEachMember(item).filter(
      ({ rest }) => itemStarted.params.safeParse({ ...params, item: rest }).success,
    );
    // What is not text is kept as it was said.
    expect(passed.map(({ place }) => place)).toEqual(
      item.type === "userMessage" ? ["content.1.name", "content.1.path"] : [],
    );
  });

  it("N25 refuses to send JSON that is left out by being undefined", () => {
    const { itemStarted } = appProtocol.toClient.notify;
    const item = { ...items.mcpToolCall, arguments: undefined };
    const params = { item, threadId: "t", turnId: "1", startedAtMs: 1 };
    expect(itemStarted.params.safeParse(params).success).toBe(false);
  });

  it("N25 refuses to send a turn or a thread that lacks a member", () => {
    const { turn: turns, thread } = appProtocol.toServer;
    expect(turns.start.result.parse({ turn })).toEqual({ turn });
    expect(thread.start.result.parse(started)).toEqual(started);
    const { items: _, ...bare } = turn;
    const passed = [
      ...withoutEachMember(bare).filter(
        ({ rest }) =>
          turns.start.result.safeParse({ turn: { items: [], ...(rest as object) } }).success,
      ),
      ...withoutEachMember(started).filter(
        ({ rest }) => thread.start.result.safeParse(rest).success,
      ),
    ];
    expect(passed.map(({ place }) => place)).toEqual([]);
  });

  it("N25 writes what this server has no use for as null", () => {
    for (const shape of [Configuration, Requirements]) {
      const written: Record<string, unknown> = shape.parse({});
      expect(Object.values(written).every((value) => value === null)).toBe(true);
      expect(Object.keys(written)).toEqual(Object.keys(shape.shape));
    }
  });

  it("keeps keys of a configuration that have no member", () => {
    expect(Configuration.parse({ model: "m", mine: 1 })).toMatchObject({ model: "m", mine: 1 });
  });
});

describe("the answers to what a server asks", () => {
  const { commandApproval, permissionsApproval } = appProtocol.toClient.ask;
  const takes = (one: typeof commandApproval | typeof permissionsApproval, answer: unknown) =>
    one.result.safeParse(answer).success;

  it.each(["accept", "acceptForSession", "decline", "cancel"])("may be %s", (decision) => {
    expect(takes(commandApproval, { decision })).toBe(true);
  });

  it.each([
    [null],
    ["accept"],
    [{}],
    [{ decision: true }],
    [{ decision: "Accept" }],
    [{ decision: ["accept"] }],
    [{ decision: { acceptWithExecpolicyAmendment: { execpolicy_amendment: ["rm"] } } }],
    [{ decision: { applyNetworkPolicyAmendment: { network_policy_amendment: {} } } }],
  ])("G05 are no yes when they are %j", (answer) => {
    expect(takes(commandApproval, answer)).toBe(false);
  });

  it("N08 grant for a turn unless they say otherwise", () => {
    const permissions = { fileSystem: { read: null, write: ["/a"] }, network: null };
    expect(permissionsApproval.result.parse({ permissions })).toEqual({
      permissions,
      scope: "turn",
    });
  });

  it.each([
    [{ permissions: { fileSystem: { write: ["/a"], except: ["/a/b"] } } }],
    [{ permissions: { network: { enabled: true, hosts: ["a"] } } }],
    [{ permissions: { disk: true } }],
    [{ permissions: {}, scope: "forever" }],
    [{ scope: "turn" }],
  ])("grant nothing when they are %j", (answer) => {
    expect(takes(permissionsApproval, answer)).toBe(false);
  });
});

describe("the protocol", () => {
  const names = (tree: Parameters<typeof declarationsOf>[0], kind: Declaration["kind"]) =>
    declarationsOf(tree).flatMap((one) => (one.kind === kind ? [one.name] : []));

  it("has what a host of sandboxes and the start of the Codex TUI need", () => {
    const needed =
      "initialize account/read model/list config/read configRequirements/read permissionProfile/list thread/start thread/resume thread/fork thread/read thread/list thread/loaded/list thread/turns/list thread/items/list thread/archive thread/unarchive thread/unsubscribe thread/settings/update thread/name/set thread/shellCommand thread/goal/get turn/start turn/steer turn/interrupt command/exec command/exec/write command/exec/resize command/exec/terminate mcpServerStatus/list mcpServer/tool/call environment/add environment/info environment/status skills/list hooks/list collaborationMode/list account/bedrock/checkGovCloudRequirements account/rateLimits/read";
    expect(names(appProtocol.toServer, "request")).toEqual(
      expect.arrayContaining(needed.split(" ")),
    );
    expect(names(appProtocol.toServer, "notification")).toEqual(["initialized"]);
    expect(names(appProtocol.toClient, "request")).toEqual([
      "item/commandExecution/requestApproval",
      "item/fileChange/requestApproval",
      "item/permissions/requestApproval",
      "item/tool/call",
    ]);
  });

  it("has every name once in each direction", () => {
    for (const tree of [appProtocol.toServer, appProtocol.toClient]) {
      const all = declarationsOf(tree).map(({ name }) => name);
      expect(new Set(all).size).toBe(all.length);
    }
  });

  it("says of every member that starts a thread whether it acts", () => {
    const { shape } = appProtocol.toServer.thread.start.params;
    const silent = Object.entries(shape).filter(
      ([, member]) => !/^(Acts|Stored|Ignored)\b/.test(member.description ?? ""),
    );
    expect(silent.map(([name]) => name)).toEqual([]);
    const acting = Object.entries(shape).filter(([, { description }]) =>
      description?.startsWith("Acts"),
    );
    expect(acting.map(([name]) => name).sort()).toEqual(
      [
        ...["approvalPolicy", "baseInstructions", "config", "cwd", "developerInstructions"],
        ...["dynamicTools"],
        ...["environments", "ephemeral", "model", "modelProvider", "permissions"],
        ...["runtimeWorkspaceRoots", "sandbox", "sandboxPolicy", "threadSource"],
      ].sort(),
    );
  });
});
