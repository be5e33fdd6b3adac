/** Cases 74, 75, 77 and D10 over the wire: links that a command plants, and what the executor itself needs. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { sharedLab, uri } from "./support/exec-lab.ts";
import { entry, intent, layOut, ROADS, runUnder, workspaceWrite } from "./support/wire-intent.ts";

describe.each(ROADS)("over $over as $user", ({ over, user }) => {
  const lab = sharedLab({ over, user });
  const sandbox = () => ({
    ...workspaceWrite([lab().place.workspace]),
    cwd: uri(lab().place.workspace),
  });
  const ran = async (script: string, under: unknown = sandbox()) =>
    runUnder(await lab().client(), lab().place, { script, sandbox: under });

  it("74 a link out of the workspace leads no command and no file operation outside", async () => {
    const { workspace, outside } = lab().place;
    layOut(outside, { "folder/kept": "kept\n" });
    await ran(`ln -s ${outside}/folder link; ln -s ${outside}/folder/new dangling`);
    const script =
      "echo x > link/kept; touch link/new; rm link/kept; cp /etc/hostname link/; echo x > dangling";
    expect(await ran(script)).toMatchObject({ stdout: "", exitCode: 2, sandboxDenied: true });
    const client = await lab().client();
    const at = (name: string) => uri(path.join(workspace, name));
    const dataBase64 = "eA==";
    const tries = [
      ["fs/writeFile", { path: at("link/kept"), dataBase64 }],
      ["fs/writeFile", { path: at("link/new"), dataBase64 }],
      ["fs/writeFile", { path: at("dangling"), dataBase64 }],
      ["fs/createDirectory", { path: at("link/folder") }],
      ["fs/remove", { path: at("link/kept") }],
      [
        "fs/copy",
        { sourcePath: uri("/etc/hostname"), destinationPath: at("link/h"), recursive: false },
      ],
      ["fs/open", { path: at("link/kept"), handleId: "h", mode: "replace" }],
    ] as const;
    for (const [method, params] of tries) {
      const { error } = await client.tryCall(method, { ...params, sandbox: sandbox() });
      expect(error, `${method} ${JSON.stringify(params)}`).toBeDefined();
    }
    expect(fs.readdirSync(path.join(outside, "folder"))).toEqual(["kept"]);
    expect(fs.readFileSync(path.join(outside, "folder/kept"), "utf8")).toBe("kept\n");
  });

  it("74 a link does not show what the policy hides", async () => {
    const { workspace, outside } = lab().place;
    layOut(outside, { "secret/key": "hidden\n" });
    await ran(`ln -s ${outside}/secret seen`);
    const hides = {
      ...workspaceWrite([workspace], [entry(path.join(outside, "secret"), "deny")]),
      cwd: uri(workspace),
    };
    expect(await ran("cat seen/key", hides)).toMatchObject({ stdout: "", exitCode: 1 });
    const client = await lab().client();
    const read = await client.tryCall("fs/readFile", {
      path: uri(path.join(workspace, "seen/key")),
      sandbox: hides,
    });
    expect(read.error).toMatchObject({ code: -32600, message: "Permission denied (os error 13)" });
  });

  it("tells what appears below a folder of somebody else that may only be passed through", async () => {
    const { outside } = lab().place;
    const client = await lab().client();
    const shut = path.join(outside, "shut");
    const missing = [uri(path.join(shut, "open/x"))];
    fs.mkdirSync(path.join(shut, "open"), { recursive: true });
    fs.chmodSync(shut, 0o711);
    const watch = { watchId: 7, missing };
    expect(await client.call("fs/watchMissing", watch)).toEqual({ watching: true });
    fs.writeFileSync(path.join(shut, "open/x"), "");
    await client.waitNote("fs/missingChanged", ({ watchId }) => watchId === 7);
    const inShut = { watchId: 8, missing: [uri(path.join(shut, "x"))] };
    // Whoever runs the tests made it: root, or the user that serves.
    const watching = user === "root" || process.getuid?.() !== 0;
    expect(await client.call("fs/watchMissing", inShut)).toEqual({ watching });
  });

  it("75 a hard link in a writable root stays writable", async () => {
    const { workspace, outside } = lab().place;
    layOut(outside, { original: "before\n" });
    fs.linkSync(path.join(outside, "original"), path.join(workspace, "hard"));
    expect(await ran("echo after > hard")).toMatchObject({ exitCode: 0 });
    expect(fs.readFileSync(path.join(outside, "original"), "utf8")).toBe("after\n");
  });

  it("77 under a policy that reads little, neither a command nor a file operation sees the program or its home", async () => {
    const { workspace, installed, env } = lab().place;
    const little = intent([entry(":minimal", "read"), entry(":project_roots", "write")], {
      workspaceRoots: [uri(workspace)],
      cwd: uri(workspace),
    });
    const hidden = [
      path.join(installed, "package.json"),
      path.join(env.WRIT_HOME ?? "", "receipts.sqlite"),
    ];
    for (const file of hidden) {
      expect(fs.existsSync(file)).toBe(true);
      expect(await ran(`cat ${file}`, little)).toMatchObject({ stdout: "", exitCode: 1 });
      const client = await lab().client();
      const { error } = await client.tryCall("fs/readFile", { path: uri(file), sandbox: little });
      expect(error?.code).toBe(-32004);
    }
  });

  it("77 hides the receipts from commands and file operations that may read everything", async () => {
    const store = path.join(lab().place.env.WRIT_HOME ?? "", "receipts.sqlite");
    await ran("true");
    expect(await ran(`cat ${store}; ls ${path.dirname(store)}; touch ${store}`)).toMatchObject({
      stdout: "",
    });
    const client = await lab().client();
    const { error } = await client.tryCall("fs/readFile", { path: uri(store), sandbox: sandbox() });
    expect(error).toBeDefined();
  });
});
