/** The built program, from settings to a command that finds its package, as both users. */
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Place, placeFor, USERS } from "../support/sandbox-user.ts";
import { HELLO, openRegistry, WORDS } from "./support/registry.ts";
import { helloFrom, runWrit, settings } from "./support/run-writ.ts";

const listOf = async (place: Place) =>
  JSON.parse((await runWrit(place, ["snapshot", "list", "--json"])).stdout);
const layersIn = ({ env }: Place) => {
  const folder = path.join(env.WRIT_HOME ?? "", "snapshots");
  return existsSync(folder) ? readdirSync(folder) : [];
};

describe.each(USERS)("snapshots of the program, as %s", (user) => {
  it("builds once, shows what there is, boots chats from it and removes it", async () => {
    const place = placeFor(user);
    const registry = await openRegistry(HELLO, WORDS);
    settings(place, helloFrom(registry.url));
    const built = await runWrit(place, ["snapshot", "build"]);
    expect(built).toMatchObject({ status: 0, stderr: "" });
    expect(built.stdout).toMatch(/^[0-9a-f]{16} {2}built \(missing\), 1 dependencies/);
    const asked = registry.asked.length;
    const again = await runWrit(place, ["snapshot", "build"]);
    expect(again.stdout).toMatch(/^[0-9a-f]{16} {2}was there/);
    expect(await listOf(place)).toMatchObject([
      { dependencies: ["hello@1.0.0"], provider: "local", uses: 0 },
    ]);
    const chat = await runWrit(place, ["chat"], ["hello"]);
    expect(chat).toMatchObject({ status: 0, stderr: "" });
    expect(chat.stdout).toContain("| hello from a package\n");
    expect(registry.asked).toHaveLength(asked);
    const [{ id }] = await listOf(place);
    expect(await runWrit(place, ["snapshot", "remove", id.slice(0, 6)])).toMatchObject({
      status: 0,
    });
    expect([await listOf(place), layersIn(place)]).toEqual([[], []]);
  });

  it("builds by itself when a tool needs it, and keeps the layer from hostile commands", async () => {
    const place = placeFor(user);
    const registry = await openRegistry(HELLO, WORDS);
    settings(place, helloFrom(registry.url));
    const silent = await runWrit(place, ["chat"], ["say hi"]);
    expect([silent.status, registry.asked]).toEqual([0, []]);
    const at = '"$WRIT_SNAPSHOT"';
    const home = place.env.WRIT_HOME;
    const { stdout } = await runWrit(
      place,
      ["chat"],
      [
        `touch ${at}/new; echo evil > ${at}/bin/hello; rm -rf ${at}/lib; chmod 777 ${at}; echo tried`,
        `mv ${at} ${at}-moved; mount -o remount,rw,bind ${at} ${at}; touch ${at}/new2; echo tried`,
        `ls ${home}; ls ${home}/snapshots; cat ${home}/config.toml; touch ${home}/planted; echo tried`,
        "hello",
      ],
    );
    expect(stdout.match(/\| tried\n/g)).toHaveLength(3);
    expect(stdout).toContain("| hello from a package\n");
    expect(stdout).not.toContain("| sandbox_mode");
    const [layer = ""] = layersIn(place);
    const folder = path.join(home ?? "", "snapshots", layer);
    expect(readdirSync(folder).sort()).toEqual(["bin", "lib"]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(home ?? "")).not.toContain("planted");
    expect(layersIn(place)).toHaveLength(1);
  });

  it("shows what a step printed that failed, and names the command for it to everybody else", async () => {
    const place = placeFor(user);
    const step = '[["/bin/sh", "-c", "echo oops >&2; exit 3"]]';
    settings(place, `[dependencies]\npostinstall = ${step}\n`);
    const failed = 'Cannot build the snapshot: "/bin/sh" exited with 3, expected all of it';
    expect(await runWrit(place, ["snapshot", "build"])).toEqual({
      ...{ status: 1, stdout: "" },
      stderr: `  oops\nwrit: ${failed}\n`,
    });
    const chat = await runWrit(place, ["chat"], ["ls"]);
    expect(chat.stdout).toContain(`${failed}. To see more, run: writ snapshot build`);
  });

  it("hides the user's files from what is installed, and lets it write to the layer alone", async () => {
    const place = placeFor(user);
    const registry = await openRegistry();
    const secret = path.join(place.outside, "secret");
    const script = [
      `cat ${secret} ${place.env.WRIT_HOME}/config.toml > seen`,
      `echo x > ${place.workspace}/planted`,
      `echo x > ${place.outside}/planted`,
      `echo x > ${place.env.WRIT_HOME}/planted`,
      "echo done > done",
    ].join("; ");
    settings(place, `[dependencies]\npostinstall = [["/bin/sh", "-c", "${script}"]]\n`);
    writeFileSync(secret, "secret");
    const built = await runWrit(place, ["snapshot", "build"]);
    expect(built).toMatchObject({ status: 0 });
    const [layer = ""] = layersIn(place);
    const folder = path.join(place.env.WRIT_HOME ?? "", "snapshots", layer);
    expect(readdirSync(folder).sort()).toEqual(["done", "seen"]);
    expect(statSync(path.join(folder, "seen")).size).toBe(0);
    const planted = [place.workspace, place.outside, place.env.WRIT_HOME ?? ""];
    expect(planted.filter((one) => existsSync(path.join(one, "planted")))).toEqual([]);
    expect(registry.asked).toEqual([]);
  });
});
