import { describe, expect, it } from "vitest";
import { appProtocol } from "../../../../src/app-server/protocol/app-protocol.ts";
import { declarationsOf } from "../../../../src/rpc/index.ts";
import { WAYS } from "../support/app-lab.ts";
import { caseApp, refusedThread } from "../support/case-app.ts";

/** Every word by which a client could believe to have set a policy, with a value that would be a good one. */
const MEMBERS: Readonly<Record<string, unknown>> = {
  sandboxPolicy: { type: "readOnly" },
  sandbox: "read-only",
  sandboxMode: "read-only",
  permissions: ":read-only",
  permissionProfile: ":read-only",
  additionalPermissions: { network: { enabled: false } },
  readOnlyAccess: { type: "fullAccess" },
  networkAccess: false,
  writableRoots: [],
};

/** Which method follows which of them; no other does. */
const FOLLOWED: Readonly<Record<string, readonly string[]>> = {
  "thread/start": ["sandboxPolicy", "sandbox", "permissions"],
  "thread/resume": ["sandboxPolicy", "sandbox", "permissions"],
  "thread/fork": ["sandboxPolicy", "sandbox", "permissions"],
  "thread/settings/update": ["sandboxPolicy", "permissions"],
  "turn/start": ["sandboxPolicy", "permissions"],
  "command/exec": ["sandboxPolicy", "permissionProfile"],
};

/** What the methods need besides, all of it good for each of them. */
const GOOD = {
  ...{ threadId: "x", turnId: "x", expectedTurnId: "x", input: [], name: "x" },
  ...{ path: "/x", sourcePath: "/x", destinationPath: "/y", dataBase64: "" },
  ...{ processId: "p", size: { rows: 1, cols: 1 }, server: "s", tool: "t" },
  ...{ environmentId: "e", execServerUrl: "ws://127.0.0.1:1" },
};
function goodFor(method: string): object {
  if (method === "command/exec") return { command: ["true"] };
  return { ...GOOD, ...(method === "thread/shellCommand" && { command: "true" }) };
}

const methods = declarationsOf(appProtocol.toServer)
  .filter(({ kind, name }) => kind === "request" && name !== "initialize")
  .map(({ name }) => name);
const unfollowed = methods.flatMap((method) =>
  Object.keys(MEMBERS)
    .filter((member) => !FOLLOWED[method]?.includes(member))
    .map((member) => [method, member] as const),
);

describe.each(WAYS)("a policy that a method would not follow over %s", (over) => {
  const app = caseApp({ over });

  it.each(methods)("is refused by %s, whatever else it is asked", async (method) => {
    const { client } = app();
    const members = unfollowed.filter(([name]) => name === method).map(([, member]) => member);
    expect(members.length).toBeGreaterThan(0);
    for (const member of members) {
      const params = { ...goodFor(method), [member]: MEMBERS[member] };
      const { code, message } = await client.refused(method, params);
      expect([-32600, -32602]).toContain(code);
      expect(message).toMatch(
        new RegExp(`^\`${member}\` is (not|no longer) supported for \`${method}\`; .+`),
      );
    }
  });

  it("is refused beside one that it would follow", async () => {
    const { client, place } = app();
    const cwd = place.workspace;
    for (const member of ["sandboxMode", "writableRoots", "networkAccess"]) {
      const params = { cwd, sandbox: "read-only", [member]: MEMBERS[member] };
      expect((await refusedThread(client, params)).code).toBe(-32600);
    }
  });

  it("is refused for a thread that there is, and changes nothing in it", async () => {
    const { client, place } = app();
    const started = await client.ok("thread/start", { cwd: place.workspace, sandbox: "read-only" });
    const threadId = started.thread.id;
    const calls: [string, object][] = [
      ["turn/start", { threadId, input: [], sandbox: "danger-full-access" }],
      ["thread/settings/update", { threadId, sandbox: "danger-full-access" }],
      ["thread/settings/update", { threadId, permissionProfile: { type: "disabled" } }],
      ["turn/steer", { threadId, input: [], expectedTurnId: "x", sandboxPolicy: {} }],
      ["thread/shellCommand", { threadId, command: "true", sandboxPolicy: {} }],
      ["thread/list", { sandboxPolicy: { type: "readOnly" } }],
      ["command/exec", { command: ["true"], permissions: ":read-only" }],
      ["command/exec", { command: ["true"], sandbox: "read-only" }],
    ];
    for (const [method, params] of calls) {
      expect((await client.refused(method, params)).code).toBe(-32600);
    }
    const now = await client.ok("thread/resume", { threadId });
    expect(now.writ).toEqual(started.writ);
  });
});
