/** What is told of the session of a server that was killed. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { placeFor, USERS } from "../../support/sandbox-user.ts";
import { AppLab } from "../support/app-lab.ts";

/** As it lies in the file, before anybody looks for the process that had it. */
function rowsIn(lab: AppLab) {
  const database = new DatabaseSync(path.join(lab.home, "sessions.sqlite"), { readOnly: true });
  try {
    return database.prepare("SELECT thread, state FROM sessions").all();
  } finally {
    database.close();
  }
}

const listed = (lab: AppLab) => JSON.parse(lab.place.run(["sessions", "--json"]).stdout);

describe.each(USERS)("sessions of a server of %s", (user) => {
  it("are told as gone when it was killed, and are gone for good once another one starts", async () => {
    const lab = new AppLab({ user });
    const client = await lab.client();
    const params = { cwd: lab.place.workspace, sandbox: "read-only" };
    const { thread } = await client.ok("thread/start", params);
    await client.turn(thread.id, "true");
    const [before] = listed(lab);
    expect(before).toMatchObject({ thread: thread.id, provider: "local" });
    expect(before.state).not.toBe("gone");
    await lab.stop("SIGKILL");
    expect(listed(lab)).toMatchObject([{ thread: thread.id, state: "gone", liveWork: 0 }]);
    expect(rowsIn(lab)).not.toMatchObject([{ state: "gone" }]);
    const next = await lab.client();
    expect(rowsIn(lab)).toMatchObject([{ thread: thread.id, state: "gone" }]);
    await next.ok("thread/resume", { threadId: thread.id });
    await next.turn(thread.id, "true");
    expect(listed(lab)).toMatchObject([{ thread: thread.id }]);
    expect(listed(lab)[0].state).not.toBe("gone");
  });

  it("refuses to start with a sentence where what is kept of them cannot be read", () => {
    const place = placeFor(user);
    const home = place.env.WRIT_HOME ?? "";
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const file = path.join(home, "sessions.sqlite");
    writeFileSync(file, "x".repeat(9000), { mode: 0o600 });
    chmodSync(file, 0o600);
    const { status, stderr } = place.run(["app-server"]);
    expect(status).toBe(125);
    expect(stderr).toMatch(/^writ: Cannot .*sessions\.sqlite.*\n$/);
  });
});
