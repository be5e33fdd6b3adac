import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { USERS } from "../../support/sandbox-user.ts";
import { WAYS } from "../support/app-lab.ts";
import { ran } from "../support/case-app.ts";
import { WORKSPACE_WRITE } from "../support/policies.ts";
import { serversInTurn } from "../support/servers-in-turn.ts";
import { type Room, roomIn } from "../support/standing-app.ts";

const WIDE = 'sandbox_mode = "danger-full-access"\n';
const LEFT: readonly (readonly [how: string, left: string])[] = [
  ["removed", ""],
  ["removed beside others", '[permissions.other]\nextends = ":workspace"\n'],
  ["made to extend what there is not", '[permissions.dev]\nextends = "gone"\n'],
];
const CASES = USERS.flatMap((user) => WAYS.map((over) => ({ user, over })));

describe.each(CASES)("a thread of $user that comes back over $over", ({ user, over }) => {
  const { earlier, last } = serversInTurn({
    ...{ over, user },
    settings: () => "",
    lastSettings: () => WIDE,
  });

  /** A thread under `dev` that comes back when the file says something else. */
  const comeback = (
    before: (room: Room) => string,
    after: (room: Room) => string,
    params: object = { permissions: "dev" },
  ) => {
    const begun = earlier(async ({ client, lab, place }) => {
      const room = roomIn(place);
      mkdirSync(path.join(room.workspace, "in"));
      writeFileSync(path.join(room.workspace, "in/secret"), "hidden-words\n");
      lab.configure(before(room));
      place.give();
      const started = await client.ok("thread/start", { cwd: room.workspace, ...params });
      await client.turn(started.thread.id, "say hello");
      return { room, started, threadId: started.thread.id };
    });
    return async () => {
      const { room, started, threadId } = await begun();
      const { client, lab, place } = await last();
      lab.configure(after(room));
      place.give();
      const resumed = await client.ok("thread/resume", { threadId });
      const { workspace, outside } = room;
      const { output } = await ran(
        client,
        threadId,
        `touch ${workspace}/inside; touch ${outside}/outside; cat ${workspace}/in/secret; true`,
      );
      const wrote = {
        inside: existsSync(`${workspace}/inside`),
        outside: existsSync(`${outside}/outside`),
        read: output.includes("hidden-words"),
      };
      return { started, resumed, wrote, room, client, threadId };
    };
  };
  const dev = (filesystem: string, network = false) =>
    `[permissions.dev]\nextends = ":workspace"\n[permissions.dev.network]\nenabled = ${network}\n[permissions.dev.filesystem]\n${filesystem}\n`;

  const narrow = comeback(
    () => "",
    () => WIDE,
    { sandboxPolicy: { type: "workspaceWrite" } },
  );

  it("F07 has the folders of its own policy, and no others", async () => {
    const { resumed, wrote, client, room, threadId } = await narrow();
    expect(resumed.sandbox).toEqual(WORKSPACE_WRITE);
    expect(wrote).toEqual({ inside: true, outside: false, read: true });
    const file = path.join(room.outside, "root");
    const sandboxPolicy = { type: "workspaceWrite", writableRoots: [room.outside] };
    await ran(client, threadId, `touch ${file}`, { sandboxPolicy });
    expect(existsSync(file)).toBe(true);
  });

  for (const [how, left] of LEFT) {
    const without = comeback(
      ({ workspace }) => dev(`"${workspace}/in/secret" = "deny"`),
      () => WIDE + left,
    );

    it(`F08 stays as it was where its profile was ${how} and the default is wide`, async () => {
      const { resumed, started, wrote } = await without();
      expect(resumed.sandbox).toEqual(started.sandbox);
      expect(resumed.writ).toEqual({
        ...started.writ,
        profile: { id: "dev", extends: ":workspace", state: "removed" },
      });
      expect(wrote).toEqual({ inside: true, outside: false, read: false });
    });
  }

  const narrower = comeback(
    ({ outside }) => dev(`"${outside}" = "write"`),
    ({ workspace }) => dev(`"${workspace}/in/secret" = "deny"`),
  );

  it("F08 N24 follows a profile that became narrower, and says so", async () => {
    const { resumed, started, wrote } = await narrower();
    expect(resumed.writ.profile.state).toBe("redefined");
    expect(resumed.writ.profileDigest).not.toBe(started.writ.profileDigest);
    expect(wrote).toEqual({ inside: true, outside: false, read: false });
  });

  const wider = comeback(
    () => dev(""),
    ({ outside }) => dev(`"${outside}" = "write"`, true),
  );

  it("F08 N24 does not follow a profile that became wider, and says so", async () => {
    const { resumed, started, wrote } = await wider();
    expect(resumed.writ.profile.state).toBe("redefined");
    expect(resumed.writ.profileDigest).toBe(started.writ.profileDigest);
    expect(resumed.sandbox).toEqual(WORKSPACE_WRITE);
    expect(wrote).toEqual({ inside: true, outside: false, read: true });
  });

  const both = comeback(
    () => dev(""),
    ({ workspace, outside }) =>
      dev(`"${outside}" = "write"\n"${workspace}/in/secret" = "deny"`, true),
  );

  it("F08 N24 is denied what a wider profile denies by now", async () => {
    const { resumed, wrote } = await both();
    expect(resumed.writ.profile.state).toBe("redefined");
    expect(resumed.sandbox.networkAccess).toBe(false);
    expect(wrote).toEqual({ inside: true, outside: false, read: false });
  });

  const lifting = comeback(
    ({ workspace }) => dev(`"${workspace}/in/secret" = "deny"`),
    () => dev(""),
  );

  it("F08 N24 keeps a deny that its profile has lost by now, and comes back", async () => {
    const { resumed, started, wrote } = await lifting();
    expect(resumed.writ.profile.state).toBe("redefined");
    expect(resumed.writ.profileDigest).toBe(started.writ.profileDigest);
    expect(wrote).toEqual({ inside: true, outside: false, read: false });
  });

  const rooted = (roots: readonly string[]) =>
    `${dev("")}[permissions.dev.workspace_roots]\n${roots.map((root) => `"${root}" = true\n`).join("")}`;
  const uprooted = comeback(
    ({ outside }) => rooted([outside]),
    () => rooted([]),
  );

  it("F08 N24 loses a root that its profile no longer brings, and says so", async () => {
    const { resumed, wrote, room } = await uprooted();
    expect(resumed.writ.profile.state).toBe("redefined");
    expect(resumed.runtimeWorkspaceRoots).toEqual([room.workspace]);
    expect(wrote).toEqual({ inside: true, outside: false, read: true });
  });

  const enlarged = comeback(
    () => rooted([]),
    ({ outside }) => rooted([outside, `${outside}/missing`]),
  );

  it("F08 N24 gets no root that its profile brings only by now", async () => {
    const { resumed, wrote, room } = await enlarged();
    expect(resumed.writ.profile.state).toBe("redefined");
    expect(resumed.runtimeWorkspaceRoots).toEqual([room.workspace]);
    expect(wrote).toEqual({ inside: true, outside: false, read: true });
  });

  const adhoc = comeback(
    () => "",
    () => WIDE,
    { permissions: "adhoc", config: { permissions: { adhoc: { extends: ":workspace" } } } },
  );

  it("F08 stays as it was where its profile came with the request", async () => {
    const { resumed, started, wrote } = await adhoc();
    expect(resumed.sandbox).toEqual(started.sandbox);
    expect(resumed.writ.profile).toEqual({ id: "adhoc", extends: ":workspace", state: "removed" });
    expect(wrote).toEqual({ inside: true, outside: false, read: true });
  });
});
