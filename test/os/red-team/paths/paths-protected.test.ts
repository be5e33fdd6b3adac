/** What a policy closes inside a writable workspace, attacked from there. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { flagsOf, profileFlags, WRITABLE_MODES } from "../../support/sandbox-modes.ts";
import { type Place, placeFor, USERS } from "../../support/sandbox-user.ts";
import { type Attempts, perl, quoted, stateOf, whatWorks } from "./support/path-attempts.ts";
import {
  copyInKernel,
  exchange,
  linkOpened,
  makeImmutable,
  setAttribute,
} from "./support/path-calls.ts";

const rules = (text: string) =>
  `extends = ":workspace"\n[filesystem.":workspace_roots"]\n${text}\n`;

function layOut(place: Place, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(place.workspace, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
}

/** What nothing may do to a folder that holds a file `f`. */
function attacksOn(folder: string): Attempts {
  const file = `${folder}/f`;
  return {
    [`${folder}: write`]: `echo x > ${file}`,
    [`${folder}: new`]: `touch ${folder}/new`,
    [`${folder}: dots`]: `echo x > ${folder}/../${path.basename(folder)}/f`,
    [`${folder}: /proc`]: `echo x > /proc/self/cwd/${file}`,
    [`${folder}: remove`]: `unlink ${file}`,
    [`${folder}: replace`]: `mkdir -p n && touch n/f && mv -T n ${folder}`,
    [`${folder}: rename`]: `mv ${folder} gone`,
    [`${folder}: exchange`]: `mkdir -p n && ${exchange("n", folder)}`,
    [`${folder}: hard link`]: `ln ${file} hard`,
    [`${folder}: link of a descriptor`]: linkOpened(file, "hard"),
    [`${folder}: A21 mode`]: `chmod 777 ${file}`,
    [`${folder}: A21 times`]: `touch -d 2001-01-01 ${file}`,
    [`${folder}: A21 attribute`]: setAttribute(file),
    [`${folder}: A21 flag`]: makeImmutable(file),
    [`${folder}: A22 truncate`]: perl(`exit(truncate(q(${file}), 0) ? 0 : 1)`),
    [`${folder}: A22 fallocate`]: `fallocate -l 100 ${file}`,
    [`${folder}: A22 in the kernel`]: copyInKernel("/etc/passwd", file),
  };
}

describe.each(USERS)("what is closed inside the workspace, as %s", (user) => {
  it.each(WRITABLE_MODES)("A21 A22 keeps .git whole in mode %s", (mode) => {
    const place = placeFor(user);
    const flags = flagsOf(mode, place);
    layOut(place, { ".git/f": "as it was" });
    place.give();
    const before = stateOf(path.join(place.workspace, ".git"));
    const worked = whatWorks(place, { ...attacksOn(".git"), control: "touch new" }, flags);
    expect(worked).toEqual(["control"]);
    expect(stateOf(path.join(place.workspace, ".git"))).toEqual(before);
  });

  it("A9 refuses to rename an ancestor of a protected path and recreate it", () => {
    const place = placeFor(user);
    layOut(place, { "a/b/c/keep/f": "as it was", "twin/b/c/keep/f": "forged" });
    place.give();
    const before = stateOf(path.join(place.workspace, "a/b/c/keep"));
    // What cannot be moved is copied there before it fails.
    const away = `/tmp/writ-gone-${user}-${process.pid}`;
    onTestFinished(() => fs.rmSync(away, { recursive: true, force: true }));
    const ancestors = ["a", "a/b", "a/b/c"].flatMap((folder) => [
      [`rename ${folder}`, `mv ${folder} ${folder}2 && mkdir -p a/b/c/keep`],
      [`move ${folder} away`, `rm -rf ${away}; mv ${folder} ${away}`],
      [`exchange ${folder}`, exchange("twin", folder)],
      [`replace ${folder}`, perl(`exit(rename(q(twin), q(${folder})) ? 0 : 1)`)],
      [`link in the place of ${folder}`, `rmdir ${folder} && ln -s twin ${folder}`],
    ]);
    const tries = {
      ...Object.fromEntries(ancestors),
      ...attacksOn("a/b/c/keep"),
      "control beside": "touch a/b/c/free && mv a/b/c/free a/b/c/freed",
      "control across a pin": "mv a/b/c/freed a/moved",
    };
    const flags = profileFlags(place.outside, "keep", rules('"a/b/c/keep" = "read"'));
    expect(whatWorks(place, tries, flags)).toEqual(["control beside", "control across a pin"]);
    expect(stateOf(path.join(place.workspace, "a/b/c/keep"))).toEqual(before);
    expect(fs.existsSync(path.join(place.workspace, "a/moved"))).toBe(true);
  });

  it.each([
    ["read", "the command's own"],
    ["deny", "the command's own"],
    ["read", "another user's"],
    ["deny", "another user's"],
  ])(
    "A9 refuses to rename an ancestor of a missing one, with %s, in a folder that is %s",
    (access, whose) => {
      const place = placeFor(user);
      layOut(place, { "a/b/f": "" });
      if (whose === "the command's own") place.give();
      const away = (folder: string) => perl(`exit(rename(q(${folder}), q(away)) ? 0 : 1)`);
      const tries = Object.fromEntries(
        ["a", "a/b"].map((folder) => [folder, `${away(folder)} && mkdir -p a/b/keep/forged`]),
      );
      const flags = profileFlags(place.outside, "keep", rules(`"a/b/keep" = "${access}"`));
      expect(whatWorks(place, { ...tries, control: "touch free" }, flags)).toEqual(["control"]);
      expect(fs.readdirSync(path.join(place.workspace, "a/b"))).toEqual(["f"]);
    },
  );

  it("A9 says EXDEV for a rename and a link across a pin", () => {
    const place = placeFor(user);
    layOut(place, { "a/keep/f": "", "a/free": "" });
    const flags = profileFlags(place.outside, "keep", rules('"a/keep" = "read"'));
    const code = 'rename("a/free", "free"); print $! + 0, " "; link("a/free", "b"); print $! + 0';
    const { stdout } = place.run(["run", ...flags, "--", "perl", "-e", code]);
    expect(stdout).toBe("18 18");
  });

  it("A10 leaves the closed children of a folder that is removed as a whole", () => {
    const place = placeFor(user);
    layOut(place, { "d/keep/f": "as it was", "d/.env": "secret", "d/sub/x.env": "s", "d/o": "" });
    place.give();
    const flags = profileFlags(
      place.outside,
      "children",
      rules('"d/keep" = "read"\n"d/.env" = "deny"\n"**/*.env" = "deny"'),
    );
    const tries = {
      remove: "rm -rf d",
      recreate: "mkdir d/keep",
      "control gone": "test ! -e d/o",
      "control new": "touch d/new",
    };
    const worked = whatWorks(place, tries, flags);
    expect(worked).toEqual(["control gone", "control new"]);
    const left = ["keep/f", ".env", "sub/x.env"].map((name) =>
      fs.readFileSync(path.join(place.workspace, "d", name), "utf8"),
    );
    expect(left).toEqual(["as it was", "secret", "s"]);
  });

  it("A14 knows a name as it is written: another case or another form of a letter is another name", () => {
    const place = placeFor(user);
    layOut(place, { ".git/f": "", "caf\u00e9/f": "secret", "cafe\u0301/f": "twin" });
    place.give();
    const flags = profileFlags(place.outside, "form", rules('"caf\u00e9" = "deny"'));
    const tries = {
      ".git": "touch .git/x",
      composed: "cat caf\u00e9/f",
      ".GIT is another folder": "mkdir .GIT && touch .GIT/x && ! test -e .git/x",
      "decomposed is another folder": "grep -q twin cafe\u0301/f",
    };
    expect(whatWorks(place, tries, flags)).toEqual(Object.keys(tries).slice(2));
    expect(fs.readdirSync(path.join(place.workspace, ".git"))).toEqual(["f"]);
  });

  it.each(["write", "read"] as const)(
    "A18 keeps overlapping rules apart where %s is innermost",
    (inner) => {
      const place = placeFor(user);
      layOut(place, { "r/f": "1", "r/a/f": "2", "r/a/b/f": "3", "r/a/b/c/f": "4" });
      place.give();
      const flags = profileFlags(
        place.outside,
        "overlap",
        rules(`"r" = "write"\n"r/a" = "deny"\n"r/a/b" = "${inner}"\n"r/a/b/c" = "deny"`),
      );
      const tries = {
        ...Object.fromEntries(
          ["r", "r/a", "r/a/b", "r/a/b/c"].flatMap((folder) => [
            [`read ${folder}`, `cat ${folder}/f`],
            [`list ${folder}`, `ls ${folder}`],
            [`write ${folder}`, `echo x >> ${folder}/f`],
            [`make in ${folder}`, `mkdir ${folder}/new`],
          ]),
        ),
        "rename r": "mv r r2",
        "rename r/a": "mv r/a r/a2",
        "rename r/a/b": "mv r/a/b b2",
        "remove r/a": "rm -rf r/a",
      };
      const [all, readOnly] = [
        ["read", "list", "write", "make in"],
        ["read", "list"],
      ];
      const open = [...all.map((verb) => `${verb} r`)];
      const inside = (inner === "write" ? all : readOnly).map((verb) => `${verb} r/a/b`);
      expect(whatWorks(place, tries, flags)).toEqual([...open, ...inside]);
      expect(fs.readFileSync(path.join(place.workspace, "r/a/f"), "utf8")).toBe("2");
      expect(fs.readFileSync(path.join(place.workspace, "r/a/b/c/f"), "utf8")).toBe("4");
    },
  );

  it("A20 takes a name with wildcards as it is written", () => {
    const place = placeFor(user);
    const odd = [
      "[ab]",
      "*",
      "a?",
      "a b",
      "-x",
      "new\nline",
      "back\\slash",
      'quo"te',
      "\u00fc\u20ac",
    ];
    const plain = ["a", "ab", "b", "xx"];
    for (const name of [...odd, ...plain]) fs.mkdirSync(path.join(place.outside, name));
    place.give();
    const writableRoots = odd.map((name) => path.join(place.outside, name));
    const flags = ["--sandbox-policy", JSON.stringify({ type: "workspaceWrite", writableRoots })];
    const tries = [...odd, ...plain].map((name, index) => {
      const folder = path.join(place.outside, name);
      return [String(index), `touch ${quoted(folder)}/new && ! mkdir ${quoted(folder)}/.git/x`];
    });
    const worked = whatWorks(place, Object.fromEntries(tries), flags);
    expect(worked).toEqual(odd.map((_, index) => String(index)));
    const written = [...odd, ...plain].filter(
      (name) => fs.readdirSync(path.join(place.outside, name)).length > 0,
    );
    expect(written).toEqual(odd);
  });

  it("A20 hides exactly the name that an escaped pattern means", () => {
    const place = placeFor(user);
    const odd = ["*", "[ab]", "a?"];
    layOut(
      place,
      Object.fromEntries([...odd, "a", "ab", "b"].map((name) => [`${name}/f`, "text"])),
    );
    place.give();
    const patterns = odd.map((name) => name.replaceAll(/[*?[\]]/g, "\\$&"));
    const text = patterns.map((one) => `${JSON.stringify(one)} = "deny"`).join("\n");
    const flags = profileFlags(place.outside, "escaped", rules(text));
    const tries = [...odd, "a", "ab", "b"].map((name) => [name, `cat ${quoted(name)}/f`]);
    expect(whatWorks(place, Object.fromEntries(tries), flags)).toEqual(["a", "ab", "b"]);
  });
});
