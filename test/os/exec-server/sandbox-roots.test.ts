/** K15 and D10: a workspace root, or a granted place in one, is judged by where it leads. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Place, placeFor, USERS } from "../support/sandbox-user.ts";
import { sharedLab, startLab, uri } from "./support/exec-lab.ts";
import { entry, intent, layOut, runUnder, workspaceWrite } from "./support/wire-intent.ts";

const REFUSED = { code: -32602, message: expect.stringContaining("as a workspace root") };

/** Links as a command of an earlier run could have left them. */
function plantLinks({ workspace, outside, env }: Place): void {
  layOut(workspace, { "inner/": "" });
  const links = {
    out: outside,
    home: env.HOME,
    slash: "/",
    up: "..",
    in: "inner",
    gone: "/nonexistent",
  };
  for (const [name, target] of Object.entries(links)) {
    fs.rmSync(path.join(workspace, name), { force: true });
    fs.symlinkSync(target ?? "", path.join(workspace, name));
  }
}

describe.each(USERS)("as %s", (user) => {
  describe.each([
    ["--root", ["out", "home", "slash", "up", "gone", "out/new", "up/outside"]],
    ["no --root", ["home", "slash", "up", "gone"]],
  ])("with %s", (flag, names) => {
    const lab = sharedLab({ user, flags: flag === "--root" ? ["--root", "."] : [] });
    const ran = async (sandbox: unknown) =>
      runUnder(await lab().open(), lab().place, {
        script: `touch ${lab().place.outside}/x`,
        sandbox,
      });

    it.each(names)(
      "K15 refuses the link %s as a root, for commands and for file operations",
      async (name) => {
        const { place } = lab();
        plantLinks(place);
        const root = path.join(place.workspace, name);
        expect(await ran(workspaceWrite([root]))).toMatchObject(REFUSED);
        const client = await lab().open();
        const sandbox = { ...workspaceWrite([root]), cwd: uri(place.workspace) };
        const at = uri(path.join(root, "x"));
        const { error } = await client.tryCall("fs/writeFile", {
          path: at,
          dataBase64: "",
          sandbox,
        });
        expect(error?.message).toContain("as a workspace root");
        expect(fs.readdirSync(place.outside)).toEqual([]);
      },
    );

    it.each(names)("K15 refuses the link %s as a granted place in a root", async (name) => {
      const { place } = lab();
      plantLinks(place);
      const entries = [entry(":root", "read"), entry(`:project_roots/${name}`, "write")];
      const sandbox = intent(entries, { workspaceRoots: [uri(place.workspace)] });
      expect(await ran(sandbox)).toMatchObject(REFUSED);
      expect(fs.readdirSync(place.outside)).toEqual([]);
    });

    it("K15 refuses a link out of its root as a granted place, for commands and for file operations", async () => {
      const { place, open } = lab();
      plantLinks(place);
      const entries = [entry(":root", "read"), entry(":project_roots/out", "write")];
      const sandbox = intent(entries, { workspaceRoots: [uri(place.workspace)] });
      const why = /a link on the way leads out of the workspace|as a workspace root/;
      expect(await ran(sandbox)).toMatchObject({ message: expect.stringMatching(why) });
      const at = uri(path.join(place.outside, "x"));
      const there = { ...sandbox, cwd: uri(place.workspace) };
      const write = { path: at, dataBase64: "", sandbox: there };
      const { error } = await (await open()).tryCall("fs/writeFile", write);
      expect(error?.message).toMatch(why);
      expect(fs.readdirSync(place.outside)).toEqual([]);
    });

    it("allows a link that stays in, and a root that is not there yet", async () => {
      const { place } = lab();
      plantLinks(place);
      const roots = ["in", "new"].map((name) => path.join(place.workspace, name));
      const script = "touch in/f && echo ran";
      const sandbox = workspaceWrite(roots);
      expect(await runUnder(await lab().open(), place, { script, sandbox })).toMatchObject({
        stdout: "ran\n",
      });
    });
  });

  describe("with a TMPDIR that commands can write", () => {
    const TEMPORARY = intent([entry(":root", "read"), entry(":tmpdir", "write")]);
    const labWith = (name: string) => {
      const place = placeFor(user);
      layOut(place.workspace, { "tmp/": "" });
      fs.symlinkSync("tmp", path.join(place.workspace, "link"));
      return startLab({ user, place, env: { TMPDIR: path.join(place.workspace, name) } });
    };

    it.each(["tmp", "link"])("refuses :tmpdir once a command turned %s elsewhere", async (name) => {
      const { place, open } = await labWith(name);
      const client = await open();
      const turn = `mv ${name} old && ln -s ${place.outside} ${name} && echo turned`;
      const entries = [entry(":root", "read"), entry(":project_roots", "write")];
      const sandbox = intent(entries, { workspaceRoots: [uri(place.workspace)] });
      const turned = await runUnder(client, place, { script: turn, sandbox });
      expect(turned).toMatchObject({ stdout: "turned\n" });
      const script = `touch ${place.outside}/x`;
      const told = await runUnder(client, place, { script, sandbox: TEMPORARY });
      expect(told).toMatchObject({ message: expect.stringContaining("now leads to") });
      const at = uri(path.join(place.outside, "y"));
      const write = { path: at, dataBase64: "", sandbox: TEMPORARY };
      const { error } = await client.tryCall("fs/writeFile", write);
      expect(error?.message).toContain("now leads to");
      expect(fs.readdirSync(place.outside)).toEqual([]);
    });

    it("follows a link that was there when the server started", async () => {
      const { place, open } = await labWith("link");
      const told = await runUnder(await open(), place, {
        script: "touch tmp/x && echo wrote",
        sandbox: TEMPORARY,
      });
      expect(told).toMatchObject({ stdout: "wrote\n" });
    });
  });

  it("K15 judges a root in /proc by where it leads", async () => {
    const { workspace } = lab().place;
    for (const root of ["/proc/self/root", `/proc/self/root${path.dirname(workspace)}`]) {
      const told = await runUnder(await lab().open(), lab().place, {
        script: "true",
        sandbox: workspaceWrite([root]),
      });
      expect(told).toMatchObject({ code: -32602 });
    }
  });
  const lab = sharedLab({ user });
});
