import { mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
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
