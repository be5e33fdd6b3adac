/** Names that other programs run or trust later, in every form and at the top of every root. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { PROTECTED_NAMES } from "../../../../src/policy/index.ts";
import { attempts, layOut, runWith, treeOf } from "../../support/later-attempts.ts";
import { flagsOf, MODES } from "../../support/sandbox-modes.ts";
import { placeFor, USERS } from "../../support/sandbox-user.ts";
import { FORMS, type Form, triesOn } from "./support/name-attempts.ts";

const NAMES = PROTECTED_NAMES.map(({ name }) => name);

function given(form: Form): Record<string, string> {
  if (form === "missing") return {};
  // Its own project file has to be one that it can read.
  const names = NAMES.filter((name) => form === "file" || name !== "writ.toml");
  return Object.fromEntries(
    names.map((name) => [form === "file" ? name : `${name}/keep`, `# of ${name}\n`]),
  );
}

describe.each(USERS)("what runs later, as %s", (user) => {
  it.each([
    ...MODES.map((mode) => [mode, FORMS] as const),
    ["workspace-write", ["folder", "file"]] as const,
    ["workspace-write", ["file", "folder"]] as const,
  ])(
    "B1 B2 B4 B6 B7 refuses every change of a protected name in %s at roots with it as %j",
    (mode, forms) => {
      const place = placeFor(user);
      const roots = forms.map((form, index) => {
        const root = index === 0 ? place.workspace : path.join(place.outside, form);
        layOut(root, { ...given(form), "ok/": "", "docs/private/public/": "" });
        return { root, form };
      });
      const added = roots.slice(1).flatMap(({ root }) => ["--add-dir", root]);
      const flags = [...flagsOf(mode, place), ...added];
      const before = roots.map(({ root }) => treeOf(root));
      const { stdout, stderr } = place.run(["run", ...flags, "--", ...triesOn(NAMES, roots)]);
      expect({ stdout, stderr }).toEqual({ stdout: "done\n", stderr: "" });
      const after = roots.map(({ root }) => treeOf(root));
      const plain = after.map((tree) => tree.filter((line) => !line.startsWith("ok/")));
      expect(plain).toEqual(before);
      const controls = after.map((tree) => tree.some((line) => line.startsWith("ok/control")));
      expect(controls).toEqual(roots.map(() => mode !== "read-only"));
    },
  );

  it("B6 protects the names of Codex in temporary folders and leaves the others to their owners", () => {
    const place = placeFor(user);
    const temporary = path.join(place.outside, "tmp");
    fs.mkdirSync(temporary);
    const tries = NAMES.map((name) => `mkdir ${temporary}/${name}/x || touch ${temporary}/${name}`);
    const args = ["run", "--sandbox", "workspace-write", "--", "/bin/sh", "-c", attempts(tries)];
    const { stdout } = runWith(place, args, { TMPDIR: temporary });
    const kept = PROTECTED_NAMES.filter(({ inTemporary }) => inTemporary).map(({ name }) => name);
    expect(stdout.trim().split("\n")).toHaveLength(NAMES.length - kept.length);
    expect(fs.readdirSync(temporary).filter((name) => kept.includes(name))).toEqual([]);
  });

  it("B6 refuses to start where its own project file is a folder", () => {
    const place = placeFor(user);
    layOut(place.workspace, { "writ.toml/keep": "" });
    expect(place.sh("touch ran")).toMatchObject({ status: 2, stdout: "" });
    expect(fs.readdirSync(place.workspace)).toEqual(["writ.toml"]);
  });
});
