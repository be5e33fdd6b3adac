import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { USERS } from "../../support/sandbox-user.ts";
import { AppLab, WAYS } from "../support/app-lab.ts";
import { ran } from "../support/case-app.ts";
import { WORKSPACE_WRITE } from "../support/policies.ts";

const CASES = USERS.flatMap((user) => WAYS.map((over) => ({ user, over })));

describe.each(CASES)("a thread of $user that comes back over $over", ({ user, over }) => {
  /** A thread under `dev` that comes back when the file says something else. */
  const comeback = async (
    before: (lab: AppLab) => string,
    after: (lab: AppLab) => string,
    params: object = { permissions: "dev" },
  ) => {
    const lab = new AppLab({ over, user, token: "sesame" });
    lab.configure(before(lab));
    const { workspace, outside } = lab.place;
    mkdirSync(path.join(workspace, "in"));
    writeFileSync(path.join(workspace, "in/secret"), "hidden-words\n");
    const first = await lab.client();
    const started = await first.ok("thread/start", { cwd: workspace, ...params });
    const threadId = started.thread.id;
    await first.turn(threadId, "say hello");
    first.close();
    await lab.stop();
    lab.configure(after(lab));
    const client = await lab.client();
    const resumed = await client.ok("thread/resume", { threadId });
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
    return { started, resumed, wrote, lab, client, threadId };
  };
  const dev = (filesystem: string, network = false) =>
    `[permissions.dev]\nextends = ":workspace"\n[permissions.dev.network]\nenabled = ${network}\n[permissions.dev.filesystem]\n${filesystem}\n`;
  const wide = 'sandbox_mode = "danger-full-access"\n';

  it("F07 has the folders of its own policy, and no others", async () => {
    const outsideOf = (lab: AppLab) => ({
      ...{ sandboxPolicy: { type: "workspaceWrite", writableRoots: [lab.place.outside] } },
    });
    const narrow = await comeback(
      () => "",
      () => wide,
      { sandboxPolicy: { type: "workspaceWrite" } },
    );
    expect(narrow.resumed.sandbox).toEqual(WORKSPACE_WRITE);
    expect(narrow.wrote).toEqual({ inside: true, outside: false, read: true });
    const { client, lab, threadId } = narrow;
    const file = path.join(lab.place.outside, "root");
    await ran(client, threadId, `touch ${file}`, outsideOf(lab));
    expect(existsSync(file)).toBe(true);
  });

  it.each<[string, string]>([
    ["removed", ""],
    ["removed beside others", '[permissions.other]\nextends = ":workspace"\n'],
    ["made to extend what there is not", '[permissions.dev]\nextends = "gone"\n'],
  ])("F08 stays as it was where its profile was %s and the default is wide", async (_, left) => {
    const { resumed, started, wrote } = await comeback(
      ({ place }) => dev(`"${place.workspace}/in/secret" = "deny"`),
      () => wide + left,
    );
    expect(resumed.sandbox).toEqual(started.sandbox);
    expect(resumed.writ).toEqual({
      ...started.writ,
      profile: { id: "dev", extends: ":workspace", state: "removed" },
    });
    expect(wrote).toEqual({ inside: true, outside: false, read: false });
  });

  it("F08 N24 follows a profile that became narrower, and says so", async () => {
    const { resumed, started, wrote } = await comeback(
      ({ place }) => dev(`"${place.outside}" = "write"`),
      ({ place }) => dev(`"${place.workspace}/in/secret" = "deny"`),
    );
    expect(resumed.writ.profile.state).toBe("redefined");
    expect(resumed.writ.profileDigest).not.toBe(started.writ.profileDigest);
    expect(wrote).toEqual({ inside: true, outside: false, read: false });
  });

  it("F08 N24 does not follow a profile that became wider, and says so", async () => {
    const { resumed, started, wrote } = await comeback(
      () => dev(""),
      ({ place }) => dev(`"${place.outside}" = "write"`, true),
    );
    expect(resumed.writ.profile.state).toBe("redefined");
    expect(resumed.writ.profileDigest).toBe(started.writ.profileDigest);
    expect(resumed.sandbox).toEqual(WORKSPACE_WRITE);
    expect(wrote).toEqual({ inside: true, outside: false, read: true });
  });

  it("F08 N24 is denied what a wider profile denies by now", async () => {
    const { resumed, wrote } = await comeback(
      () => dev(""),
      ({ place }) =>
        dev(`"${place.outside}" = "write"\n"${place.workspace}/in/secret" = "deny"`, true),
    );
    expect(resumed.writ.profile.state).toBe("redefined");
    expect(resumed.sandbox.networkAccess).toBe(false);
    expect(wrote).toEqual({ inside: true, outside: false, read: false });
  });

  it("F08 stays as it was where its profile came with the request", async () => {
    const { resumed, started, wrote } = await comeback(
      () => "",
      () => wide,
      { permissions: "adhoc", config: { permissions: { adhoc: { extends: ":workspace" } } } },
    );
    expect(resumed.sandbox).toEqual(started.sandbox);
    expect(resumed.writ.profile).toEqual({ id: "adhoc", extends: ":workspace", state: "removed" });
    expect(wrote).toEqual({ inside: true, outside: false, read: true });
  });
});
