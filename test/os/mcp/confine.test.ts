import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { USERS } from "../support/sandbox-user.ts";
import { ConfineClient } from "./support/confine-client.ts";
import { openState, wireState } from "./support/wire-state.ts";

async function listening(): Promise<number> {
  const server = net.createServer((socket) => socket.destroy());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("Cannot listen");
  return address.port;
}

describe.each(USERS)("writ confine as %s", (user) => {
  it("runs each call under the state it came with, and none without one", async () => {
    const client = new ConfineClient(user);
    const { workspace } = client.place;
    const file = path.join(workspace, "file");
    const [narrow, wide] = [wireState(workspace), wireState(workspace, { write: [workspace] })];
    const { result } = await client.greet();
    expect(result).toMatchObject({
      capabilities: { tools: {}, experimental: { "codex/sandbox-state-meta": {} } },
    });
    const refused = await client.call("write", { path: file });
    expect(refused).toMatchObject({ isError: true });
    expect(refused.content[0]?.text).toContain("without sandbox state");
    expect(await client.text("write", { path: file }, narrow)).toBe("EROFS");
    expect(existsSync(file)).toBe(false);
    const served = await client.call("write", { path: file }, wide);
    expect(served).toEqual({
      content: [{ type: "text", text: "written" }],
      meta: { progressToken: 7 },
      _meta: { "dev.writ/receipt": { version: 1, receiptId: expect.any(String) } },
    });
    expect(existsSync(file)).toBe(true);
    const second = path.join(workspace, "second");
    expect(await client.text("write", { path: second }, narrow)).toBe("EROFS");
    expect(existsSync(second)).toBe(false);
    const outside = path.join(client.place.outside, "file");
    expect(await client.text("write", { path: outside }, wide)).toBe("EROFS");
    expect(await client.text("write", { path: outside }, openState(workspace))).toBe("written");
    expect(existsSync(outside)).toBe(true);
  });

  it("opens the network to calls whose state does, unless the operator says off", async () => {
    const port = await listening();
    for (const [flags, reached] of [
      [[], "reached"],
      [["--network", "off"], expect.stringMatching(/^E/)],
    ] as const) {
      const client = new ConfineClient(user, flags);
      const { workspace } = client.place;
      await client.greet();
      const online = wireState(workspace, { network: "enabled" });
      expect(await client.text("reach", { port }, wireState(workspace))).toMatch(/^E/);
      expect(await client.text("reach", { port }, online)).toEqual(reached);
      expect(await client.text("reach", { port }, openState(workspace))).toEqual(reached);
    }
  });

  it("greets the next server as the client greeted the first", async () => {
    const client = new ConfineClient(user);
    const { workspace } = client.place;
    await client.greet();
    await client.ask("logging/setLevel", { level: "debug" });
    const wide = wireState(workspace, { write: [workspace] });
    expect(JSON.parse(await client.text("seen", {}, wide))).toEqual([
      ...["initialize", "notifications/initialized", "logging/setLevel"],
      "tools/call",
    ]);
    expect(JSON.parse(await client.text("seen", {}, wide))).toHaveLength(5);
  });

  it("refuses what was in flight when the state changes", async () => {
    const client = new ConfineClient(user);
    const { workspace } = client.place;
    await client.greet();
    const hanging = client.text("hang", {}, wireState(workspace));
    await client.text("seen", {}, wireState(workspace, { write: [workspace] }));
    expect(await hanging).toContain("the sandbox policy changed");
  });

  it("holds one policy for a client that sends no state", async () => {
    const client = new ConfineClient(user, ["--sandbox", "workspace-write", "--network", "off"]);
    const { workspace, outside } = client.place;
    const { result } = await client.greet();
    expect(JSON.stringify(result)).not.toContain("sandbox-state");
    expect(await client.text("write", { path: path.join(workspace, "in") })).toBe("written");
    const out = path.join(outside, "out");
    expect(await client.text("write", { path: out })).toBe("EROFS");
    expect(await client.text("write", { path: out }, openState(workspace))).toBe("EROFS");
    expect(existsSync(out)).toBe(false);
  });

  it("refuses a call that waives the sandbox where one is required", async () => {
    const client = new ConfineClient(user, ["--require-sandbox"]);
    const { workspace, outside } = client.place;
    const file = path.join(outside, "file");
    const answer = await client.call("write", { path: file }, openState(workspace));
    expect(answer.isError).toBe(true);
    expect(existsSync(file)).toBe(false);
    expect(client.left()).toEqual([]);
  });

  it("gives the server the variables it was promised, and no other secret", async () => {
    const env = { TOKEN_A: "a", TOKEN_B: "b" };
    const client = new ConfineClient(user, ["--env", "TOKEN_A"], env);
    const state = wireState(client.place.workspace);
    expect(await client.text("variable", { name: "TOKEN_A" }, state)).toBe("a");
    expect(await client.text("variable", { name: "TOKEN_B" }, state)).toBe("absent");
  });

  it("says why a server cannot be started", async () => {
    const folder = mkdtempSync("/var/tmp/writ-gone-");
    chmodSync(folder, 0o755);
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const client = new ConfineClient(user, ["-C", folder]);
    await client.greet();
    rmSync(folder, { recursive: true });
    const answer = await client.call("seen", {}, wireState(client.place.workspace));
    expect(answer).toMatchObject({ isError: true });
    expect(answer.content[0]?.text).toContain("no such folder");
  });
});
