/** writ itself as the one who is made to write, read or start somewhere else. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parseAbsolutePath } from "../../../../src/policy/index.ts";
import { openRecords } from "../../../../src/sandbox/placeholders/records-folder.ts";
import { profileFlags } from "../../support/sandbox-modes.ts";
import { placeFor, USERS } from "../../support/sandbox-user.ts";
import { runAsIs, stateOf } from "./support/path-attempts.ts";
import { whileRunning } from "./support/path-watched.ts";

const WRITABLE = ["--sandbox", "workspace-write"];
const sh = (script: string) => ["--", "/bin/sh", "-c", script];

describe.each(USERS)("the receipt, as %s", (user) => {
  it("D1 lands in the folder that was meant, whatever the command puts in its place", () => {
    const place = placeFor(user);
    fs.mkdirSync(path.join(place.workspace, "out"));
    place.give();
    const before = stateOf(place.outside);
    const swap = sh(`mv out away && ln -s ${place.outside} out`);
    const ran = runAsIs(place, ["run", ...WRITABLE, "--receipt", "out/r.json", ...swap]);
    expect(ran.status).toBe(0);
    expect(stateOf(place.outside)).toEqual(before);
    expect(fs.readdirSync(path.join(place.workspace, "away"))).toEqual(["r.json"]);
  });

  it("D1 does not follow a link on its way that an earlier command may have made", () => {
    const place = placeFor(user);
    fs.symlinkSync(place.outside, path.join(place.workspace, "out"));
    place.give();
    const args = ["run", ...WRITABLE, "--receipt", "out/r.json", ...sh("touch ran")];
    const { status, stderr } = runAsIs(place, args);
    expect(status).toBe(125);
    expect(stderr).toContain(path.join(place.workspace, "out"));
    expect(fs.readdirSync(place.outside)).toEqual([]);
    expect(fs.existsSync(path.join(place.workspace, "ran"))).toBe(false);
  });

  it.each([
    ["D1 takes the place of a link", "canary"],
    ["D2 takes the place of a dangling link", "missing"],
  ])("%s instead of writing through it", (_, target) => {
    const place = placeFor(user);
    fs.writeFileSync(path.join(place.outside, "canary"), "as it was");
    place.give();
    const before = stateOf(place.outside);
    const plant = sh(`ln -s ${place.outside}/${target} r.json`);
    expect(runAsIs(place, ["run", ...WRITABLE, "--receipt", "r.json", ...plant]).status).toBe(0);
    expect(stateOf(place.outside)).toEqual(before);
    expect(fs.lstatSync(path.join(place.workspace, "r.json")).isFile()).toBe(true);
  });

  it("is missed loudly where the command made it impossible, and leaves no draft", () => {
    const place = placeFor(user);
    const args = ["run", ...WRITABLE, "--receipt", "r.json", ...sh("mkdir -p r.json/x")];
    const { status, stderr } = place.run(args);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^writ: Cannot write the receipt "r\.json": .*\n$/);
    expect(fs.readdirSync(place.workspace)).toEqual(["r.json"]);
  });

  it("D5 holds nothing of what the command's links lead to", () => {
    const place = placeFor(user);
    fs.writeFileSync(path.join(place.outside, "shadow"), "top-secret-words", { mode: 0o600 });
    place.give();
    const names = ["report.json", "AGENTS.md", "package.json", "sub/.git", "x.pth"];
    const links = names.map((name) => `ln -s ${place.outside}/shadow ${name}`).join("; ");
    const args = [
      "run",
      ...WRITABLE,
      "--receipt",
      "r.json",
      ...sh(`mkdir sub; ${links}; ln -s . loop`),
    ];
    expect(runAsIs(place, args).status).toBe(0);
    const text = fs.readFileSync(path.join(place.workspace, "r.json"), "utf8");
    expect(text).not.toContain("top-secret-words");
    expect(text).toContain(path.join(place.workspace, "AGENTS.md"));
  });
});

describe.each(USERS)("placeholders and records, as %s", (user) => {
  it("D2 D3 D6 makes nothing through a link, dangling or not, and starts nothing", () => {
    const place = placeFor(user);
    const { workspace, outside } = place;
    fs.mkdirSync(path.join(workspace, "real"));
    fs.symlinkSync(outside, path.join(workspace, "parent"));
    fs.symlinkSync(path.join(outside, "new"), path.join(workspace, "dangling"));
    place.give();
    const rules = (name: string, access: string) =>
      profileFlags(
        path.join(path.dirname(outside), "home"),
        "rule",
        `extends = ":workspace"\n[filesystem.":workspace_roots"]\n"${name}" = "${access}"\n`,
      );
    for (const name of ["parent/missing", "parent/missing/deep", "dangling", "dangling/deep"]) {
      for (const access of ["deny", "read", "write"]) {
        const { status } = runAsIs(place, ["run", ...rules(name, access), ...sh("touch ran")]);
        expect({ name, access, status }).toEqual({ name, access, status: 125 });
      }
    }
    expect(fs.readdirSync(outside)).toEqual([]);
    expect(fs.existsSync(path.join(workspace, "ran"))).toBe(false);
    const control = runAsIs(place, ["run", ...rules("real/missing", "deny"), ...sh("touch ran")]);
    expect(control.status).toBe(0);
  });

  it("D8 keeps records only in a folder that is its own", () => {
    const { outside } = placeFor(user);
    const folder = (name: string) => parseAbsolutePath(path.join(outside, name));
    fs.mkdirSync(folder("open"));
    fs.chmodSync(folder("open"), 0o777);
    fs.mkdirSync(folder("real"));
    fs.symlinkSync(folder("real"), folder("link"));
    fs.writeFileSync(folder("file"), "");
    for (const name of ["open", "link", "file"]) {
      expect(() => openRecords(folder(name)), name).toThrow("Cannot keep records");
    }
    expect(() => openRecords(folder("made"))).not.toThrow();
    expect(fs.readdirSync(folder("real"))).toEqual([]);
  });

  it("D8 keeps the profile that holds from being written, and what is below it from being reached", () => {
    const place = placeFor(user);
    const flags = profileFlags(place.workspace, "p", `extends = ":workspace"\n`);
    fs.mkdirSync(path.join(place.workspace, ".git"));
    const wider = `[filesystem]\n"/" = "write"\n`;
    const script = `printf '${wider.replaceAll("\n", "\\n")}' > p.toml; touch ${place.outside}/new .git/x; cat p.toml; echo control`;
    const { stdout } = place.sh(script, flags);
    expect(stdout).toBe(`extends = ":workspace"\ncontrol\n`);
    expect(fs.readdirSync(place.outside)).toEqual([]);
    expect(fs.readdirSync(path.join(place.workspace, ".git"))).toEqual([]);
  });
});

describe.each(USERS)("the folder a command works in, as %s", (user) => {
  it("D9 is refused where it is the whole disk, whoever asks", () => {
    const place = placeFor(user);
    const sandboxPolicy = {
      ...{ type: "workspace-write", writable_roots: [], network_access: false },
      ...{ exclude_tmpdir_env_var: false, exclude_slash_tmp: false },
    };
    const state = (sandboxCwd: string) => JSON.stringify({ sandboxPolicy, sandboxCwd });
    for (const flags of [
      [...WRITABLE, "-C", "/"],
      [...WRITABLE, "-C", "../../../../../../../.."],
      [...WRITABLE, "--add-dir", "/"],
      ["--sandbox-state-json", state("/")],
    ]) {
      const { status } = place.run(["run", ...flags, ...sh("touch ran")]);
      expect([2, 125], flags.join(" ")).toContain(status);
    }
    expect(fs.existsSync(path.join(place.workspace, "ran"))).toBe(false);
    const control = ["run", "--sandbox-state-json", state(place.workspace), ...sh("touch ran")];
    expect(place.run(control).status).toBe(0);
  });

  it("D9 does not widen what may be written when the command goes elsewhere", () => {
    const place = placeFor(user);
    fs.mkdirSync(path.join(place.workspace, "sub"));
    const script = `cd .. && touch outside/a; cd ${place.outside}; touch b; cd ${place.workspace}; touch in`;
    expect(place.sh(script, [...WRITABLE, "-C", "sub"]).status).not.toBe(0);
    expect(place.sh(script).status).toBe(0);
    expect(fs.readdirSync(place.outside)).toEqual([]);
  });

  it("D10 stays what it was when the link to it is turned, and is the new one at the next start", async () => {
    const place = placeFor(user);
    const [a, b, link] = ["a", "b", "link"].map((name) => path.join(place.outside, name));
    if (!a || !b || !link) throw new Error("Cannot lay out the test");
    for (const folder of [a, b]) fs.mkdirSync(folder);
    fs.symlinkSync(a, link);
    place.give();
    const flags = [...WRITABLE, "--add-dir", link];
    const script = `while [ ! -e go ]; do sleep 0.02; done; touch ${a}/one; touch ${b}/no ${link}/no`;
    await whileRunning(place, { flags, script }, () => {
      fs.rmSync(link);
      fs.symlinkSync(b, link);
      fs.writeFileSync(path.join(place.workspace, "go"), "");
    });
    expect([fs.readdirSync(a), fs.readdirSync(b)]).toEqual([["one"], []]);
    place.sh(`touch ${link}/two; touch ${a}/no`, flags);
    expect([fs.readdirSync(a), fs.readdirSync(b)]).toEqual([["one"], ["two"]]);
  });

  it("D10 is refused where the command could turn the link to it", () => {
    const place = placeFor(user);
    fs.mkdirSync(path.join(place.workspace, "real"));
    fs.symlinkSync("real", path.join(place.workspace, "link"));
    const { status, stderr } = place.sh("touch ran", [...WRITABLE, "--add-dir", "link"]);
    expect(status).toBe(125);
    expect(stderr).toContain("link");
    expect(place.sh("touch ran", [...WRITABLE, "--add-dir", "real"]).status).toBe(0);
  });
});
