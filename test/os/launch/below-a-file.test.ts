import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { profileFlags } from "../support/sandbox-modes.ts";
import { placeFor, USERS } from "../support/sandbox-user.ts";
import { made, startRun } from "./live-run.ts";

describe.each(USERS)("a rule on a path below a file, as %s", (user) => {
  it("lets the command run, and ends it when the file becomes a folder with that path", async () => {
    const place = placeFor(user);
    const pointer = path.join(place.workspace, ".git");
    writeFileSync(pointer, `gitdir: ${place.outside}\n`);
    const toml = `extends = ":workspace"\n[filesystem]\n"${pointer}/hooks" = "deny"`;
    const flags = profileFlags(place.outside, "below", toml);
    place.give();
    const args = ["run", ...flags, "--", "/bin/sh", "-c", "cat .git"];
    expect(place.run(args)).toMatchObject({ status: 0, stdout: `gitdir: ${place.outside}\n` });
    const run = startRun(place, "touch started; sleep 60", flags);
    await made(place, "started");
    rmSync(pointer);
    mkdirSync(path.join(pointer, "hooks"), { recursive: true });
    expect(await run.ended).toBe(137);
    expect(run.printed.err).toContain("was replaced on the host");
  });
});
