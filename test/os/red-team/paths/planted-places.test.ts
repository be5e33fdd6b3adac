/** A place that a policy grants by its name in the workspace, in which others have put a link: an earlier command, or whoever made the repository. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { profileFlags } from "../../support/sandbox-modes.ts";
import { type Place, placeFor, USERS } from "../../support/sandbox-user.ts";
import { idOf } from "../../support/users.ts";
import { runAsIs, stateOf } from "./support/path-attempts.ts";

const SECRET = "top-secret-words";

/** Under a wider policy: `out` and `way` lead out of the workspace, `in` stays. */
function planted(place: Place): void {
  const { workspace, outside, sh } = place;
  fs.mkdirSync(path.join(outside, "private"));
  fs.writeFileSync(path.join(outside, "private/f"), SECRET);
  fs.mkdirSync(path.join(workspace, "inner"));
  const { stdout } = sh(
    `ln -s ${outside}/private out; ln -s ${outside} way; ln -s inner in; ls -d in out way`,
  );
  expect(stdout).toBe("in\nout\nway\n");
}

const WRITTEN = `extends = ":read-only"
[filesystem.":workspace_roots"]
`;
const READ = `[filesystem]
":minimal" = "read"
[filesystem.":workspace_roots"]
`;

describe.each(USERS)("writ run as %s", (user) => {
  it.each([
    ["D10 writes nothing through a link", "out", `${WRITTEN}"out" = "write"`],
    [
      "D10 writes nothing through a link on the way",
      "way/private",
      `${WRITTEN}"way/private" = "write"`,
    ],
    ["C6 reads nothing through a link", "out", `${READ}"out" = "read"`],
  ])("%s that leads out of the workspace", (_, name, profile) => {
    const place = placeFor(user);
    planted(place);
    const flags = profileFlags(place.outside, "narrow", profile);
    place.give();
    const before = stateOf(path.join(place.outside, "private"));
    const script = `touch ran; cat ${name}/f; echo evil >${name}/f; touch ${place.outside}/private/x`;
    const args = ["run", ...flags, "--", "/bin/sh", "-c", script];
    const { status, stdout, stderr } = runAsIs(place, args);
    expect({ ran: status === 0, stdout }).toEqual({ ran: false, stdout: "" });
    expect(stderr).toContain(`leads out of the workspace to "${place.outside}/private"`);
    expect(stateOf(path.join(place.outside, "private"))).toEqual(before);
  });

  it("follows a link that stays in the workspace", () => {
    const place = placeFor(user);
    planted(place);
    const flags = profileFlags(place.outside, "narrow", `${WRITTEN}"in" = "write"`);
    const { stdout } = place.sh(
      "echo written >in/x; cat inner/x; touch x 2>/dev/null || echo kept",
      flags,
    );
    expect(stdout).toBe("written\nkept\n");
  });

  it("opens what another rule opens by its own name as well", () => {
    const place = placeFor(user);
    planted(place);
    const own = JSON.stringify(path.join(place.outside, "private"));
    const profile = `${WRITTEN}"out" = "write"\n[filesystem]\n${own} = "write"\n`;
    const flags = profileFlags(place.outside, "narrow", profile);
    expect(place.sh("echo written >out/x; cat out/x", flags).stdout).toBe("written\n");
  });

  it.each([
    ["the folder itself", ""],
    ["a folder above it", "/in/it"],
  ])("D10 opens nothing through a TMPDIR that an earlier command turned: %s", (_, below) => {
    const place = placeFor(user);
    const shared = fs.mkdtempSync("/tmp/writ-turned-");
    onTestFinished(() => fs.rmSync(shared, { recursive: true, force: true }));
    fs.mkdirSync(`${shared}${below}`, { recursive: true });
    if (user !== "root") fs.chownSync(shared, idOf(user), idOf(user));
    fs.mkdirSync(path.join(place.outside, `private${below}`), { recursive: true });
    place.give();
    if (user !== "root") fs.chownSync(`${shared}${below}`, idOf(user), idOf(user));
    const run = (excluded: string, script: string) => {
      const policy = JSON.stringify({ type: "workspaceWrite", [excluded]: true });
      const args = ["run", "--sandbox-policy", policy, "--", "/bin/sh", "-c", script];
      return runAsIs(place, args, { TMPDIR: `${shared}${below}` });
    };
    const write = "touch ran; touch $TMPDIR/x && echo written; rm $TMPDIR/x";
    expect(run("excludeSlashTmp", write).stdout).toBe("written\n");
    const turn = `mv ${shared} ${shared}-old && ln -s ${place.outside}/private ${shared} && echo turned`;
    onTestFinished(() => fs.rmSync(`${shared}-old`, { recursive: true, force: true }));
    expect(run("excludeTmpdirEnvVar", turn).stdout).toBe("turned\n");
    const before = stateOf(place.outside);
    const told = run("excludeSlashTmp", write);
    expect(told.stdout).toBe("");
    expect(told.stderr).toContain(`through the link "${shared}"`);
    expect(stateOf(place.outside)).toEqual(before);
  });

  it("D10 opens nothing through a link that somebody else put at a granted path", () => {
    const place = placeFor(user);
    const secret = path.join(place.outside, "private");
    const shared = path.join(place.outside, "shared");
    for (const folder of [secret, shared]) fs.mkdirSync(folder);
    place.give();
    fs.chmodSync(shared, 0o1777);
    const link = path.join(shared, "build");
    fs.symlinkSync(secret, link);
    if (process.getuid?.() === 0) fs.lchownSync(link, 65534, 65534);
    const profile = `extends = ":read-only"\n[filesystem]\n${JSON.stringify(link)} = "write"\n`;
    const ways = [
      [...profileFlags(place.outside, "granted", profile), "--", "touch", `${link}/x`],
      ["--sandbox", "workspace-write", "-C", link, "--", "touch", "x"],
      ["--sandbox", "workspace-write", "--add-dir", link, "--", "touch", `${link}/x`],
      ["--sandbox", "read-only", "--receipt", `${link}/x`, "--", "true"],
    ];
    for (const way of ways) {
      const { status, stderr } = runAsIs(place, ["run", ...way]);
      expect({ status, told: stderr.includes(`through the link "${link}"`) }, stderr).toEqual({
        status: 125,
        told: true,
      });
    }
    expect(fs.readdirSync(secret)).toEqual([]);
    fs.rmSync(link);
    fs.mkdirSync(link);
    if (process.getuid?.() === 0) fs.chownSync(link, idOf(user), idOf(user));
    const own = [...profileFlags(place.outside, "granted", profile), "--", "touch", `${link}/x`];
    expect(runAsIs(place, ["run", ...own]).status).toBe(0);
    expect(fs.readdirSync(link)).toEqual(["x"]);
  });
});
