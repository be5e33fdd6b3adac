/** The checks of the red-team list on sandbox state in MCP, by number, through the real `writ confine`. */
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ConfineClient } from "../../mcp/support/confine-client.ts";
import { openState, wireState } from "../../mcp/support/wire-state.ts";
import { USERS } from "../../support/sandbox-user.ts";

function statesOf({ place: { workspace } }: ConfineClient) {
  return { narrow: wireState(workspace), wide: wireState(workspace, { write: [workspace] }) };
}

function fileIn({ place: { workspace } }: ConfineClient, name: string): string {
  return path.join(workspace, name);
}

describe.each(USERS)("sandbox state in MCP as %s", (user) => {
  it("K1 refuses a call without state, and still says what it can do", async () => {
    const client = new ConfineClient(user);
    await client.greet();
    const file = fileIn(client, "k1");
    expect(await client.call("write", { path: file })).toMatchObject({ isError: true });
    expect(existsSync(file)).toBe(false);
    expect(await client.ask("tools/list")).toMatchObject({ result: {} });
  });

  it.each([
    ["a text", () => "workspace-write"],
    ["null", () => null],
    ["no profile", (state: object) => ({ ...state, permissionProfile: undefined })],
    ["no folder", (state: object) => ({ ...state, sandboxCwd: undefined })],
    ["an unknown type", (state: object) => ({ ...state, permissionProfile: { type: "newer" } })],
    ["an unknown restriction", (state: object) => ({ ...state, deniedPaths: ["/etc"] })],
  ])("K2 refuses %s", async (_, change) => {
    const client = new ConfineClient(user);
    await client.greet();
    const file = fileIn(client, "k2");
    const state = change(statesOf(client).wide) as object;
    const _meta = { "codex/sandbox-state-meta": state };
    const params = { name: "write", arguments: { path: file }, _meta };
    expect(await client.ask("tools/call", params)).toMatchObject({ result: { isError: true } });
    expect(existsSync(file)).toBe(false);
  });

  it("K5 takes no notice of a state in the arguments", async () => {
    const client = new ConfineClient(user);
    await client.greet();
    const file = fileIn(client, "k5");
    const { narrow, wide } = statesOf(client);
    const forged = { path: file, _meta: { "codex/sandbox-state-meta": wide } };
    expect(await client.text("write", forged, narrow)).toBe("EROFS");
    expect(await client.call("write", forged)).toMatchObject({ isError: true });
    expect(existsSync(file)).toBe(false);
  });

  it("K6 tells a server that did not ask nothing of the policy", async () => {
    const client = new ConfineClient(user);
    await client.greet();
    const answer = await client.call("seen", {}, statesOf(client).wide);
    expect(answer.meta).toEqual({ progressToken: 7 });
  });

  it("K7 holds a server from outside, whatever it makes of the state", async () => {
    const client = new ConfineClient(user);
    await client.greet();
    const outside = path.join(client.place.outside, "k7");
    expect(await client.text("write", { path: outside }, statesOf(client).wide)).toBe("EROFS");
    expect(existsSync(outside)).toBe(false);
  });

  it("K8 serves a narrower call with a new process", async () => {
    const client = new ConfineClient(user);
    await client.greet();
    const { narrow, wide } = statesOf(client);
    expect(await client.text("write", { path: fileIn(client, "a") }, wide)).toBe("written");
    expect(await client.text("write", { path: fileIn(client, "b") }, narrow)).toBe("EROFS");
    expect(JSON.parse(await client.text("seen", {}, narrow))).toHaveLength(4);
  });

  it("K9 starts anew under the state of the next call, not of the last", async () => {
    const client = new ConfineClient(user);
    await client.greet();
    const { narrow, wide } = statesOf(client);
    expect(await client.text("die", {}, wide)).toContain("unknown");
    expect(await client.text("write", { path: fileIn(client, "k9") }, narrow)).toBe("EROFS");
    expect(await client.text("die", {}, narrow)).toContain("unknown");
    expect(await client.text("write", { path: fileIn(client, "k9") }, wide)).toBe("written");
  });

  it("K10 runs two calls at once each under its own state, with a receipt each", async () => {
    const client = new ConfineClient(user);
    await client.greet();
    const { narrow, wide } = statesOf(client);
    const [open, shut] = [fileIn(client, "open"), fileIn(client, "shut")];
    const answers = await Promise.all([
      client.text("write", { path: open }, wide),
      client.text("write", { path: shut }, narrow),
    ]);
    expect(answers[0]).toMatch(/^written$|unknown/);
    expect(answers[1]).toBe("EROFS");
    expect(existsSync(shut)).toBe(false);
    client.child.stdin?.end();
    await client.exit;
    const { stdout } = client.place.run(["receipts", "--json"]);
    const digests = JSON.parse(stdout).map((one: { boundDigest: string }) => one.boundDigest);
    expect(new Set(digests).size).toBeGreaterThan(1);
  });

  it("K24 takes no state out of what a client says it was told", async () => {
    const client = new ConfineClient(user);
    await client.greet();
    const file = fileIn(client, "k24");
    const requestState = JSON.stringify({
      "codex/sandbox-state-meta": openState(client.place.workspace),
    });
    const params = { name: "write", arguments: { path: file }, requestState };
    expect(await client.ask("tools/call", params)).toMatchObject({ result: { isError: true } });
    expect(existsSync(file)).toBe(false);
  });
});
