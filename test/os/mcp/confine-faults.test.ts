import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { USERS } from "../support/sandbox-user.ts";
import { killAll } from "./repl/support/left-behind.ts";
import { ConfineClient } from "./support/confine-client.ts";
import { openState, wireState } from "./support/wire-state.ts";

const nothingLeft = (client: ConfineClient) =>
  vi.waitFor(() => expect(client.left()).toEqual([]), { timeout: 60_000, interval: 50 });

/** Without a sandbox nothing holds what a server detached from itself; the server is ended all the same. */
const SERVERS = [
  ["in a sandbox, with all it started", wireState, "linger"],
  ["without one", openState, "seen"],
] as const;

describe.each(USERS)("writ confine as %s", (user) => {
  it("survives a server that dies, and starts the next under the state of its call", async () => {
    const client = new ConfineClient(user);
    const { workspace } = client.place;
    await client.greet();
    const state = wireState(workspace, { write: [workspace] });
    for (let count = 0; count < 2; count += 1) {
      const text = await client.text("die", {}, state);
      expect(text).toContain("exited with status 3; whether it took effect is unknown");
      expect(text).toContain("dying as told");
    }
    expect(await client.text("variable", { name: "NONE" }, state)).toBe("absent");
  });

  it("answers calls of a server that was killed from outside", async () => {
    const client = new ConfineClient(user);
    const state = wireState(client.place.workspace);
    await client.greet();
    await client.text("seen", {}, state);
    const hanging = client.text("hang", {}, state);
    await client.text("seen", {}, state);
    killAll(client.left());
    expect(await hanging).toContain("the server is gone");
    expect(await client.text("variable", { name: "NONE" }, state)).toBe("absent");
  });

  describe.each(SERVERS)("with a server %s", (_, stateOf, tool) => {
    it.each([
      ["the client closes its end", (client: ConfineClient) => client.child.stdin?.end()],
      ["it is told to stop", (client: ConfineClient) => client.child.kill("SIGTERM")],
      ["it is interrupted", (client: ConfineClient) => client.child.kill("SIGINT")],
    ])("leaves nothing when %s", async (_why, stop) => {
      const client = new ConfineClient(user);
      await client.greet();
      await client.text(tool, {}, stateOf(client.place.workspace));
      expect(client.left()).not.toEqual([]);
      stop(client);
      expect(await client.exit).toBe(0);
      await nothingLeft(client);
    });

    it("leaves nothing when it is killed", async () => {
      const client = new ConfineClient(user);
      await client.greet();
      await client.text(tool, {}, stateOf(client.place.workspace));
      client.child.kill("SIGKILL");
      await client.exit;
      await nothingLeft(client);
    });
  });

  it("leaves nothing when either side ends at any moment of a change", async () => {
    for (const delay of [0, 40, 90, 150, 220, 300]) {
      const client = new ConfineClient(user);
      const { workspace } = client.place;
      await client.greet();
      void client.text("seen", {}, wireState(workspace));
      void client.text("seen", {}, wireState(workspace, { write: [workspace] }));
      await sleep(delay);
      if (delay % 20 === 0) client.child.kill("SIGKILL");
      else client.child.stdin?.destroy();
      await client.exit;
      await nothingLeft(client);
    }
  });
});
