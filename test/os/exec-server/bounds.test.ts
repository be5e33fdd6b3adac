/** What the operator of an executor allows: --require-sandbox, --root, --ceiling; K12, K14, K15, K16, K18 and case 82. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { placeFor, USERS } from "../support/sandbox-user.ts";
import { sharedLab, startLab, uri } from "./support/exec-lab.ts";
import type { Wired } from "./support/wire-client.ts";
import { entry, intent, layOut, runUnder, workspaceWrite } from "./support/wire-intent.ts";

const INVALID = -32602;
const UNRESTRICTED = {
  type: "managed",
  file_system: { type: "unrestricted" },
  network: "restricted",
};

describe.each(USERS)("as %s", (user) => {
  describe("with --require-sandbox", () => {
    const lab = sharedLab({ user, flags: ["--require-sandbox"] });
    const ran = async (script: string, sandbox: unknown, more: Wired = {}) =>
      runUnder(await lab().open(), lab().place, { script, sandbox, ...more });

    it.each([
      ["left out", undefined],
      ["null", null],
      ["a profile that waives it", intent({ type: "disabled" })],
    ])(
      "K12 K14 refuses a start and every file operation whose sandbox is %s",
      async (_, sandbox) => {
        const { workspace } = lab().place;
        const message = expect.stringContaining("this executor requires one");
        expect(await ran("touch ran-12", sandbox)).toMatchObject({
          code: INVALID,
          message,
          data: { field: "sandbox" },
        });
        const client = await lab().open();
        const at = uri(path.join(workspace, "ran-12"));
        const options = {
          maxDepth: 1,
          maxDirectories: 1,
          maxEntries: 1,
          followDirectorySymlinks: false,
        };
        for (const [method, params] of [
          ["fs/writeFile", { path: at, dataBase64: "" }],
          ["fs/readFile", { path: uri("/etc/hostname") }],
          ["fs/getMetadata", { path: uri("/etc") }],
          ["fs/canonicalize", { path: uri("/etc") }],
          ["fs/readDirectory", { path: uri("/etc") }],
          ["fs/walk", { path: uri("/etc"), options }],
          ["fs/createDirectory", { path: at }],
          ["fs/remove", { path: at }],
          ["fs/copy", { sourcePath: uri("/etc/hostname"), destinationPath: at, recursive: false }],
          ["fs/open", { path: at, handleId: "h", mode: "replace" }],
        ] as const) {
          const { error } = await client.tryCall(method, { ...params, sandbox });
          expect(error, method).toMatchObject({ message });
        }
        expect(fs.existsSync(path.join(workspace, "ran-12"))).toBe(false);
      },
    );

    it("K14 no word of a client makes up for it, whoever it says has waived it", async () => {
      const waived = { by: "the operator", reason: "approved" };
      expect(await ran("echo ran", null, { writ: { waived } })).toMatchObject({ code: INVALID });
      const beside = await ran("echo ran", workspaceWrite([lab().place.workspace]), {
        writ: { waived },
      });
      expect(beside).toMatchObject({ code: INVALID, data: { field: "writ.waived" } });
      const override = { sandboxOverride: "bypassSandboxFirstAttempt" };
      const told = await ran(`touch ${lab().place.outside}/o`, {
        ...workspaceWrite([]),
        ...override,
      });
      expect(told).toMatchObject({ sandboxType: "linuxSeccomp", exitCode: 1 });
    });

    it("says so in the handshake, and runs what has a sandbox", async () => {
      const client = await lab().connect();
      const { writ } = await client.call("initialize", { clientName: "test" });
      expect(writ).toMatchObject({ enforces: true, waivers: "refused" });
      expect(await ran("echo ran", workspaceWrite([lab().place.workspace]))).toMatchObject({
        stdout: "ran\n",
      });
    });
  });

  describe("with --root", () => {
    const place = () => lab().place;
    const lab = sharedRoot();
    const ran = async (sandbox: unknown, more: Wired = {}) =>
      runUnder(await lab().open(), place(), { script: "echo ran", sandbox, ...more });

    function sharedRoot() {
      return sharedLab({ user, flags: ["--root", "."] });
    }

    it("K15 allows roots in it, and refuses the folder beside it, above it and one that is called alike", async () => {
      const { workspace, outside } = place();
      layOut(workspace, { "inner/": "" });
      for (const root of [workspace, path.join(workspace, "inner")]) {
        expect(await ran(workspaceWrite([root]))).toMatchObject({ stdout: "ran\n" });
      }
      const field = "sandbox.workspaceRoots";
      for (const root of [
        outside,
        path.dirname(workspace),
        `${workspace}2`,
        "/",
        place().env.HOME ?? "",
      ]) {
        expect(await ran(workspaceWrite([workspace, root]))).toMatchObject({
          code: INVALID,
          data: { field },
        });
      }
    });

    it("K15 holds for policyContext and for file operations", async () => {
      const { workspace, outside } = place();
      const roots = { workspaceRoots: [uri(outside)] };
      const told = await ran({ ...workspaceWrite([workspace]), policyContext: roots });
      expect(told).toMatchObject({
        code: INVALID,
        data: { field: "sandbox.policyContext.workspaceRoots" },
      });
      const client = await lab().open();
      const sandbox = { ...workspaceWrite([outside]), cwd: uri(outside) };
      const params = { path: uri(path.join(outside, "f")), dataBase64: "", sandbox };
      const { error } = await client.tryCall("fs/writeFile", params);
      expect(error?.message).toContain("as a workspace root");
      expect(fs.readdirSync(outside)).toEqual([]);
    });

    it.each(["..", "%2e%2e", "%2E.", ".", "%2e"])(
      "K16 refuses %s in a root, wherever it leads",
      async (step) => {
        const { workspace } = place();
        const sandbox = {
          ...workspaceWrite([]),
          workspaceRoots: [`${uri(workspace)}/inside/${step}`],
        };
        expect(await ran(sandbox)).toMatchObject({
          code: INVALID,
          message: expect.stringContaining("`.` and `..` are not allowed"),
        });
      },
    );
  });

  describe("without --root", () => {
    const lab = sharedLab({ user });

    it("K15 refuses the home folder of the executor, what holds it, and /", async () => {
      const { HOME = "" } = lab().place.env;
      const client = await lab().open();
      for (const root of [HOME, path.dirname(HOME), "/"]) {
        const sandbox = workspaceWrite([root]);
        const told = await runUnder(client, lab().place, { script: "echo ran", sandbox });
        expect(told).toMatchObject({ code: INVALID, data: { field: "sandbox.workspaceRoots" } });
      }
    });
  });

  it("K15 refuses a workspace that is / even where the operator allows any", async () => {
    const lab = await startLab({ user, flags: ["--root", "/"] });
    const told = await runUnder(await lab.open(), lab.place, {
      script: "echo ran",
      sandbox: workspaceWrite(["/"]),
    });
    expect(told).toMatchObject({
      code: INVALID,
      message: expect.stringContaining("the whole disk"),
    });
  });

  it("holds every request under --ceiling: no wider mode, no way to what it hides", async () => {
    const place = placeFor(user);
    const { workspace, outside } = place;
    layOut(workspace, { "secret/key": "hidden\n" });
    const file = path.join(outside, "requirements.toml");
    const text = `allowed_sandbox_modes = ["read-only", "workspace-write"]\n[permissions.filesystem]\ndeny_read = [${JSON.stringify(path.join(workspace, "secret"))}]\n`;
    fs.writeFileSync(file, text);
    fs.symlinkSync(path.join(workspace, "secret"), path.join(workspace, "link"));
    const lab = await startLab({ user, place, flags: ["--ceiling", file] });
    const client = await lab.open();
    const ran = (script: string, sandbox: unknown) => runUnder(client, place, { script, sandbox });
    for (const sandbox of [
      null,
      intent({ type: "disabled" }),
      intent(UNRESTRICTED),
      intent([entry(":root", "write")]),
      intent({ type: "external", network: "restricted" }),
    ]) {
      const told = await ran("cat secret/key", sandbox);
      expect(told).toMatchObject({ code: INVALID, message: expect.stringContaining(file) });
    }
    const key = path.join(workspace, "secret/key");
    for (const more of [
      [],
      [entry(":project_roots/secret/key", "read")],
      [entry(outside, "write")],
    ]) {
      const told = await ran(
        `cat secret/key link/key; mv secret s; ln secret/key k; echo >> ${file}`,
        workspaceWrite([workspace], more),
      );
      expect(told).toMatchObject({ stdout: "" });
    }
    expect(
      await ran("cat secret/key", workspaceWrite([workspace], [entry(key, "read")])),
    ).toMatchObject({ code: INVALID });
    expect(await ran("cat link/key", workspaceWrite([path.join(workspace, "link")]))).toMatchObject(
      { code: INVALID },
    );
    const read = {
      path: uri(path.join(workspace, "link/key")),
      sandbox: { ...workspaceWrite([workspace]), cwd: uri(workspace) },
    };
    expect((await client.tryCall("fs/readFile", read)).error).toBeDefined();
    expect((await client.tryCall("fs/readFile", { ...read, sandbox: null })).error).toBeDefined();
    expect(fs.readFileSync(file, "utf8")).toBe(text);
  });

  it.each([
    ["network rules", { network: { domains: { "example.org": "allow" } } }, /network/],
    ["an unknown limit", { limits: { gpus: 1 } }, /gpus/],
  ])("K18 82 refuses %s that nothing here can keep, and names it", async (_, writ, named) => {
    const lab = await startLab({ user, over: "stdio" });
    const { permissions, ...more } = workspaceWrite([lab.place.workspace]);
    const sandbox = { ...more, permissions: { ...(permissions as object), writ } };
    const told = await runUnder(await lab.open(), lab.place, { script: "touch ran-18", sandbox });
    expect(told).toMatchObject({ code: INVALID, message: expect.stringMatching(named) });
    expect(fs.existsSync(path.join(lab.place.workspace, "ran-18"))).toBe(false);
  });

  it("K18 refuses a limit beside a profile without a sandbox that could hold it", async () => {
    const lab = await startLab({ user });
    const sandbox = intent({ type: "disabled", writ: { limits: { memoryBytes: 1 << 28 } } });
    const told = await runUnder(await lab.open(), lab.place, { script: "touch ran", sandbox });
    expect(told).toMatchObject({ code: INVALID, message: expect.stringContaining("memoryBytes") });
  });

  it("82 K18 where there is no launcher, a sandboxed start is refused with its name and nothing runs", async () => {
    const place = placeFor(user);
    const hide = 'mount --bind /dev/null /usr/bin/bwrap && exec "$@"';
    const argv = (args: readonly string[]) => {
      const words = place.argv(args);
      const at = words.findIndex((word) => word.endsWith("/bin/writ"));
      return [
        ...words.slice(0, at),
        "/usr/bin/unshare",
        ...["-Um", "--map-current-user", "--keep-caps"],
        "/bin/sh",
        "-c",
        hide,
        "sh",
        ...words.slice(at),
      ];
    };
    const lab = await startLab({ user, place: { ...place, argv } });
    const client = await lab.open();
    const sandbox = workspaceWrite([place.workspace]);
    const told = await runUnder(client, place, { script: "touch ran-82", sandbox });
    expect(told).toMatchObject({ code: INVALID, message: expect.stringContaining("bubblewrap") });
    expect(fs.existsSync(path.join(place.workspace, "ran-82"))).toBe(false);
    expect(await runUnder(client, place, { script: "echo ran", sandbox: null })).toMatchObject({
      sandboxType: "none",
    });
  });
});

it.each([
  [["--root", "/nonexistent"], /--root "\/nonexistent": there is no such folder/],
  [["--root", ""], /--root "": it is empty/],
  [["--root", "/etc/passwd"], /--root "\/etc\/passwd": it is a file, expected a folder/],
  [["--ceiling", "/nonexistent"], /--ceiling "\/nonexistent": there is no such file/],
  [["--require-signed"], /--require-signed/],
])("does not start with the bound %j, which it could not keep", (flags, message) => {
  const place = placeFor(USERS[0] ?? "ordinary");
  const [program = "", ...args] = place.argv(["exec-server", "--listen", "stdio", ...flags]);
  const ended = spawnSync(program, args, {
    env: place.env,
    encoding: "utf8",
    input: "",
    timeout: 30_000,
  });
  expect(ended).toMatchObject({ status: 2, stdout: "" });
  expect(ended.stderr).toMatch(message);
});
