/** Receipts that cannot be kept or written once the command has run: nobody may take it for one that did not. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { placeFor, USERS } from "../support/sandbox-user.ts";

const WRITABLE = ["--sandbox", "workspace-write"];

describe.each(USERS)("as %s", (user) => {
  it("says that the folder of a receipt is gone, and not that the command line was wrong", () => {
    const place = placeFor(user);
    fs.mkdirSync(path.join(place.workspace, "sub"));
    const done = place.sh("rm -rf sub; echo ran; exit 7", [...WRITABLE, "--receipt", "sub/r.json"]);
    expect(done).toMatchObject({ status: 1, stdout: "ran\n" });
    expect(done.stderr).toMatch(/^writ: Cannot write the receipt "sub\/r\.json": ENOENT.*\n$/);
  });

  it("says that a receipt could not be kept, and not that nothing ran", async () => {
    const place = placeFor(user);
    const script = "echo ready; until [ -e go ]; do sleep 0.05; done; exit 7";
    const [program = "", ...args] = place.argv(["run", ...WRITABLE, "--", "sh", "-c", script]);
    const child = spawn(program, args, { cwd: place.workspace, env: place.env });
    const said: string[] = [];
    child.stderr.on("data", (chunk) => said.push(String(chunk)));
    const status = once(child, "close");
    await once(child.stdout, "data");
    const store = path.join(place.env.WRIT_HOME ?? "", "receipts.sqlite");
    fs.renameSync(store, `${store}.old`);
    fs.writeFileSync(path.join(place.workspace, "go"), "");
    expect(await status).toEqual([1, null]);
    expect(said.join("")).toMatch(/^writ: Cannot write to ".*": it was moved or removed, .*\n$/);
  });
});
