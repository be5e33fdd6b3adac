/** Trees and patterns made to keep the planner busy: it comes to an end, and hides what it must. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { layOut } from "../../support/later-attempts.ts";
import { profileFlags } from "../../support/sandbox-modes.ts";
import { type Place, placeFor, USERS } from "../../support/sandbox-user.ts";

function denying({ outside }: Place, ...patterns: string[]): string[] {
  const rules = patterns.map((pattern) => `${JSON.stringify(pattern)} = "deny"`).join("\n");
  const toml = `extends = ":workspace"\n[filesystem.":workspace_roots"]\n${rules}\n`;
  return profileFlags(outside, "denying", toml);
}

const SECRET = "tree-canary";

describe.each(USERS)("trees, as %s", (user) => {
  it("J6 hides the match at the bottom of a deep tree and among many files", () => {
    const place = placeFor(user);
    const deep = Array.from({ length: 200 }, () => "d").join("/");
    layOut(place.workspace, { [`${deep}/x.env`]: SECRET, [`${deep}/free`]: "free" });
    for (let index = 0; index < 3000; index += 1) {
      fs.writeFileSync(path.join(place.workspace, `f${index}`), "");
    }
    const { stdout } = place.sh(`cat ${deep}/x.env; cat ${deep}/free`, denying(place, "**/*.env"));
    expect(stdout).toBe("free");
  });

  it("J6 is not held up by a pattern and a name made for each other", () => {
    const place = placeFor(user);
    const name = `${"a".repeat(200)}b`;
    layOut(place.workspace, { [name]: SECRET, ["a".repeat(220)]: "free" });
    const pattern = `**/${"a*".repeat(40)}b`;
    const { stdout } = place.sh(`cat ${name}; cat ${"a".repeat(220)}`, denying(place, pattern));
    expect(stdout).toBe("free");
  });

  it("J6 refuses more matches than a sandbox can hide, and names the pattern", () => {
    const place = placeFor(user);
    for (let index = 0; index < 300; index += 1) {
      fs.writeFileSync(path.join(place.workspace, `${index}.env`), "");
    }
    const { status, stderr } = place.sh("touch ran", denying(place, "**/*.env"));
    expect(status).toBe(125);
    expect(stderr).toContain("**/*.env");
    expect(fs.existsSync(path.join(place.workspace, "ran"))).toBe(false);
    expect(place.sh("echo control").stdout).toBe("control\n");
  });

  it("J7 comes to an end in loops of links, and hides what they lead to", () => {
    const place = placeFor(user);
    layOut(place.workspace, { "a/b/x.env": SECRET, "a/free": "free" });
    const link = (target: string, name: string) =>
      fs.symlinkSync(target, path.join(place.workspace, name));
    link("..", "a/up");
    link("../..", "a/b/top");
    link("self", "self");
    link("two", "one");
    link("one", "two");
    for (let index = 0; index < 50; index += 1) link(`chain${index + 1}`, `chain${index}`);
    const script = "cat a/up/a/b/x.env a/b/top/a/b/x.env self one chain0; cat a/free";
    const { stdout, stderr, status } = place.sh(script, denying(place, "a/**/*.env", "*.env"));
    expect({ stdout, status }, stderr).toEqual({ stdout: "free", status: 0 });
  });

  it("J7 comes to an end where every folder has links to every other", () => {
    const place = placeFor(user);
    const folders = Array.from({ length: 24 }, (_, index) =>
      path.join(place.workspace, `d${index}`),
    );
    for (const folder of folders) fs.mkdirSync(folder);
    for (const folder of folders) {
      folders.forEach((other, index) => {
        fs.symlinkSync(other, path.join(folder, `to${index}`));
      });
    }
    fs.writeFileSync(path.join(place.workspace, "d23/x.env"), SECRET);
    const script = "cat d23/x.env d0/to23/x.env d0/to1/to2/to3/to23/x.env; echo free";
    const { stdout } = place.sh(script, denying(place, "**/*.env"));
    expect(stdout).toBe("free\n");
  });

  it("J7 refuses a pattern that a link leads to more than a sandbox can hide, and names it", () => {
    const place = placeFor(user);
    for (let index = 0; index < 300; index += 1) {
      fs.writeFileSync(path.join(place.outside, `${index}.env`), "");
    }
    expect(place.sh(`ln -s ${place.outside} everything`).status).toBe(0);
    const { status, stderr } = place.sh("touch ran", denying(place, "**/*.env"));
    expect(status).toBe(125);
    expect(stderr).toContain("**/*.env");
    expect(fs.readdirSync(place.workspace)).toEqual(["everything"]);
    expect(place.sh("echo control").stdout).toBe("control\n");
  });

  it("J7 keeps a pattern that a link leads over the whole disk, or refuses it by name", () => {
    const place = placeFor(user);
    layOut(place.outside, { "x.env": SECRET });
    const cat = `cat everything${place.outside}/x.env; echo ran`;
    expect(place.sh(`ln -s / everything; ${cat}`).stdout).toBe(`${SECRET}ran\n`);
    const { status, stdout, stderr } = place.sh(cat, denying(place, "**/*.env"));
    // How much lies on the disk, and what of it this user may read, is the machine's.
    if (status === 125) expect(stderr).toContain("**/*.env");
    expect(stdout).toBe(status === 125 ? "" : "ran\n");
  });

  it("J7 refuses a rule that leads round in links", () => {
    const place = placeFor(user);
    fs.symlinkSync("two", path.join(place.outside, "one"));
    fs.symlinkSync("one", path.join(place.outside, "two"));
    const toml = `extends = ":workspace"\n[filesystem]\n"${place.outside}/one/x" = "deny"\n`;
    const ran = place.sh("touch ran", profileFlags(place.outside, "round", toml));
    expect(ran.status).toBe(125);
    expect(ran.stderr).toContain("links");
    expect(fs.existsSync(path.join(place.workspace, "ran"))).toBe(false);
  });

  it.each([
    ["a pipe", (file: string) => `mkfifo ${file}`],
    ["a device that never ends", (file: string) => `ln -s /dev/zero ${file}`],
    ["a huge file", (file: string) => `truncate -s 4G ${file}`],
  ])("J6 is not held up by %s in the place of a file that it reads", (_, make) => {
    const place = placeFor(user);
    const made = place.sh(`mkdir sub && ${make("sub/writ.toml")} && ${make("sub/.git")}`);
    expect(made.status).toBe(0);
    const ran = place.run([
      "run",
      "-C",
      "sub",
      "--sandbox",
      "workspace-write",
      "--",
      "touch",
      "ran",
    ]);
    expect([2, 125]).toContain(ran.status);
    expect(fs.existsSync(path.join(place.workspace, "sub/ran"))).toBe(false);
  });
});
