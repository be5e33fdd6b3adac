/** What the host does to a mount point while a command lives: the command is ended. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { profileFlags } from "../../support/sandbox-modes.ts";
import { type Place, placeFor, USERS } from "../../support/sandbox-user.ts";
import { whileRunning } from "./support/path-watched.ts";

const RULES = `extends = ":workspace"
[filesystem.":workspace_roots"]
".env" = "deny"
"a/b/c/keep" = "read"
"**/*.key" = "deny"
`;

/** Everything that a rule closes, inside the workspace and beside it. */
function layOut(place: Place): string[] {
  const { workspace, outside } = place;
  for (const folder of ["a/b/c/keep", "k"])
    fs.mkdirSync(path.join(workspace, folder), { recursive: true });
  fs.mkdirSync(path.join(outside, "x/y"), { recursive: true });
  for (const file of [".env", "a/b/c/keep/f", "k/one.key"])
    fs.writeFileSync(path.join(workspace, file), "secret");
  fs.writeFileSync(path.join(outside, "x/y/secret"), "secret");
  const beside = `[filesystem]\n"${outside}/x/y/secret" = "deny"\n"${outside}/later/secret" = "deny"\n`;
  return profileFlags(outside, "closed", `${RULES}${beside}`);
}

type Change = (place: Place) => void;
const inside = (place: Place, name: string) => path.join(place.workspace, name);
const outsideOf = (place: Place, name: string) => path.join(place.outside, name);

const CHANGES: Readonly<Record<string, Change>> = {
  "a rename over a hidden file": (place) => {
    fs.writeFileSync(inside(place, "draft"), "new secret");
    fs.renameSync(inside(place, "draft"), inside(place, ".env"));
  },
  "the removal of a hidden file": (place) => fs.unlinkSync(inside(place, ".env")),
  "a rename over what a pattern hides": (place) => {
    fs.writeFileSync(inside(place, "draft"), "new secret");
    fs.renameSync(inside(place, "draft"), inside(place, "k/one.key"));
  },
  "the removal of a placeholder": (place) => fs.rmdirSync(inside(place, ".codex")),
  "the rename of a placeholder": (place) =>
    fs.renameSync(inside(place, ".git"), inside(place, "g")),
  "the rename of a protected folder": (place) =>
    fs.renameSync(inside(place, "a/b/c/keep"), inside(place, "gone")),
  "the rename of a folder far above it": (place) => {
    fs.renameSync(inside(place, "a"), inside(place, "gone"));
    fs.mkdirSync(inside(place, "a/b/c/keep"), { recursive: true });
  },
  "the rename of the workspace": (place) =>
    fs.renameSync(place.workspace, path.join(place.outside, "moved")),
  "the rename of a folder far above what is hidden in a read-only place": (place) => {
    fs.renameSync(outsideOf(place, "x"), outsideOf(place, "gone"));
    fs.mkdirSync(outsideOf(place, "x/y"), { recursive: true });
    fs.writeFileSync(outsideOf(place, "x/y/secret"), "new secret");
  },
  "the making of what was missing and denied in a read-only place": (place) => {
    fs.mkdirSync(outsideOf(place, "later"));
    fs.writeFileSync(outsideOf(place, "later/secret"), "new secret");
  },
};

describe.each(USERS)("a live command, as %s", (user) => {
  it.each(Object.entries(CHANGES))("is ended by %s", async (_, change) => {
    const place = placeFor(user);
    const flags = layOut(place);
    place.give();
    const { status, stdout, stderr } = await whileRunning(place, { flags }, () => change(place));
    expect({ status, stdout }).toEqual({ status: 137, stdout: "" });
    expect(stderr).toContain("was replaced on the host");
  });

  it("lives on when the host works beside what is closed", async () => {
    const place = placeFor(user);
    const flags = layOut(place);
    place.give();
    const script = "while [ ! -e go ]; do sleep 0.02; done; echo lived";
    const { status, stdout } = await whileRunning(place, { flags, script }, () => {
      fs.writeFileSync(inside(place, "a/b/c/beside"), "");
      fs.renameSync(inside(place, "a/b/c/beside"), inside(place, "a/b/beside"));
      fs.writeFileSync(inside(place, "a/b/c/keep/f"), "written by the host");
      fs.appendFileSync(inside(place, ".env"), "more");
      fs.chmodSync(inside(place, ".env"), 0o600);
      fs.mkdirSync(outsideOf(place, "other"));
      fs.writeFileSync(inside(place, "go"), "");
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: "lived\n" });
  });

  it("has left nothing of writ's own once it was ended", async () => {
    const place = placeFor(user);
    const flags = layOut(place);
    place.give();
    await whileRunning(place, { flags }, () => fs.rmdirSync(inside(place, ".codex")));
    expect(fs.readdirSync(place.workspace).toSorted()).toEqual([".env", "a", "k", "ready"]);
  });
});
