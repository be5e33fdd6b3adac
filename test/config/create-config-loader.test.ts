import {
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createConfigLoader } from "../../src/config/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { placesIn } from "./support/load-from.ts";

/** A clock by which every file has rested for long. */
const LATER = () => Date.now() + 60_000;

/** Whole seconds, which every clock can say. */
const LONG_AGO = 1_000_000_000;

const mode = (word: string) => `sandbox_mode = "${word}"\n`;

const PROJECT = { "project/writ.toml": '[permissions.a]\nextends = ":read-only"' };
const OPERATOR = { "etc/requirements.toml": 'allowed_sandbox_modes = ["read-only"]' };

function loaderOn(text: string, now = LATER) {
  const root = temporaryFolder({ "home/config.toml": text, "project/x": "" });
  const loader = createConfigLoader(now);
  const load = () => loader.load(placesIn(root));
  return { root, file: path.join(root, "home/config.toml"), load };
}

/** Writes until the file system's clock has ticked, so that the change has left its trace. */
function rewrite(file: string, text: string): void {
  const before = statSync(file, { bigint: true }).ctimeNs;
  do writeFileSync(file, text);
  while (statSync(file, { bigint: true }).ctimeNs === before);
}

describe("createConfigLoader", () => {
  it("reads a file that rests once", async () => {
    const { load } = loaderOn(mode("read-only"));
    expect((await load()).settings).toBe((await load()).settings);
  });

  it.each([
    ["nothing but what a program has by itself", {}],
    [
      "files of all three kinds",
      { "home/config.toml": mode("read-only"), ...PROJECT, ...OPERATOR },
    ],
  ])("gives one and the same configuration while no file changes: %s", async (_, files) => {
    const root = temporaryFolder({ "home/x": "", "project/x": "", ...files });
    const loader = createConfigLoader(LATER);
    const first = await loader.load(placesIn(root));
    expect(await loader.load(placesIn(root))).toBe(first);
    expect(await loader.load({ ...placesIn(root), hostname: "other" })).not.toBe(first);
    writeFileSync(path.join(root, "home/config.toml"), mode("workspace-write"));
    const next = await loader.load(placesIn(root));
    expect(next.settings.sandboxMode).toBe("workspace-write");
    expect(await loader.settings(path.join(root, "home"))).toBe(next.settings);
  });

  it("reads the user's settings alone, whatever a project says", async () => {
    const { root } = loaderOn(mode("read-only"));
    writeFileSync(path.join(root, "project/writ.toml"), "not toml");
    const loader = createConfigLoader(LATER);
    await expect(loader.load(placesIn(root))).rejects.toThrow(/writ\.toml/);
    expect(await loader.settings(path.join(root, "home"))).toMatchObject({
      sandboxMode: "read-only",
    });
  });

  it("refuses a link that leads nowhere, in the place of the file and of a folder above it", async () => {
    const root = temporaryFolder({ "project/x": "", "home/x": "" });
    const loader = createConfigLoader(LATER);
    const load = () => loader.load(placesIn(root));
    await load();
    const project = path.join(root, "project/writ.toml");
    symlinkSync("/nowhere/at-all", project);
    await expect(load()).rejects.toThrow(`the link "${project}" leads nowhere`);
    rmSync(project);
    await load();
    symlinkSync("/nowhere/at-all", path.join(root, "etc"));
    await expect(load()).rejects.toThrow(`the link "${path.join(root, "etc")}" leads nowhere`);
  });

  it("reads a file that changed a moment ago each time: its next change may leave no trace", async () => {
    const { load } = loaderOn(mode("read-only"), Date.now);
    expect((await load()).settings).not.toBe((await load()).settings);
  });

  it("sees a change at once, also of the same length and with the old time put back", async () => {
    const { file, load } = loaderOn('model = "aaa"');
    utimesSync(file, LONG_AGO, LONG_AGO);
    expect((await load()).settings.model).toBe("aaa");
    rewrite(file, 'model = "bbb"');
    utimesSync(file, LONG_AGO, LONG_AGO);
    expect((await load()).settings.model).toBe("bbb");
  });

  it("sees another file in the place of the first", async () => {
    const { file, load } = loaderOn('model = "aaa"');
    const other = `${file}.new`;
    writeFileSync(other, 'model = "bbb"');
    for (const one of [file, other]) utimesSync(one, LONG_AGO, LONG_AGO);
    await load();
    renameSync(other, file);
    expect((await load()).settings.model).toBe("bbb");
  });

  it("sees that a file is gone, and that it came back", async () => {
    const { file, load } = loaderOn(mode("danger-full-access"));
    expect((await load()).settings.sandboxMode).toBe("danger-full-access");
    rmSync(file);
    expect((await load()).settings.sandboxMode).toBeUndefined();
    writeFileSync(file, mode("read-only"));
    expect((await load()).settings.sandboxMode).toBe("read-only");
  });

  it("sees a project's file and an operator's that appear, change and go", async () => {
    const { root, load } = loaderOn("");
    await load();
    const project = path.join(root, "project/writ.toml");
    writeFileSync(project, '[permissions.a]\nextends = ":read-only"');
    mkdirSync(path.join(root, "etc"));
    const requirements = path.join(root, "etc/requirements.toml");
    writeFileSync(requirements, 'allowed_sandbox_modes = ["read-only"]');
    const first = await load();
    expect([...(first.project?.profiles.keys() ?? [])]).toEqual(["a"]);
    expect(first.ceiling?.allowedModes).toEqual(["read-only"]);
    rewrite(project, '[permissions.b]\nextends = ":read-only"');
    rewrite(requirements, 'allowed_sandbox_modes = ["read-only", "workspace-write"]');
    const second = await load();
    expect([...(second.project?.profiles.keys() ?? [])]).toEqual(["b"]);
    expect(second.ceiling?.allowedModes).toEqual(["read-only", "workspace-write"]);
    rmSync(project);
    rmSync(requirements);
    expect(await load()).toMatchObject({ project: undefined, ceiling: undefined });
  });

  it("refuses a file that broke, and takes it again when it is mended", async () => {
    const { file, load } = loaderOn(mode("read-only"));
    await load();
    rewrite(file, mode("no-such-mode"));
    await expect(load()).rejects.toThrow(/sandbox_mode/);
    await expect(load()).rejects.toThrow(/sandbox_mode/);
    rewrite(file, mode("read-only"));
    expect((await load()).settings.sandboxMode).toBe("read-only");
  });

  it("refuses a folder that took the place of a file", async () => {
    const { file, load } = loaderOn(mode("read-only"));
    await load();
    rmSync(file);
    mkdirSync(file);
    await expect(load()).rejects.toMatchObject({ code: "unreadable" });
  });

  it("keeps nothing of what a request brought", async () => {
    const root = temporaryFolder({ "home/config.toml": mode("read-only") });
    const loader = createConfigLoader(LATER);
    const overrides = { sandbox_mode: "danger-full-access", "permissions.x.extends": ":workspace" };
    await loader.load(placesIn(root));
    await loader.load({ ...placesIn(root), overrides });
    const { settings, user, defaultFrom } = await loader.load(placesIn(root));
    expect({ mode: settings.sandboxMode, names: [...user.profiles.keys()], defaultFrom }).toEqual({
      mode: "read-only",
      names: [],
      defaultFrom: "files",
    });
  });
});
