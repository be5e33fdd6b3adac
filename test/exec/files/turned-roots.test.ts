/** What is kept of a policy for the next file operation, when a name in it leads elsewhere meanwhile. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { contextFor, fileClient, hostFor, uri } from "./support/file-client.ts";

const DENIED = { code: -32600, message: "Permission denied (os error 13)" };

/** `link` leads to `one`; both `one` and `two` have a secret. */
function layOut() {
  const base = fs.realpathSync(temporaryFolder({ "one/secret": "1", "two/secret": "2" }));
  const at = (name: string) => path.join(base, name);
  const turn = (to: string) => {
    fs.rmSync(at("link"), { force: true });
    fs.symlinkSync(at(to), at("link"));
  };
  turn("one");
  return { base, at, turn };
}

describe.each([
  ["any", () => hostFor()],
  ["named", (base: string) => hostFor({ roots: [parseAbsolutePath(base)] })],
])("where %s roots are allowed", (_, hostOf) => {
  function laidOut() {
    const { base, at, turn } = layOut();
    const { call } = fileClient(hostOf(base));
    const sandbox = contextFor(at("link"), [
      [":root", "read"],
      [":workspace_roots", "write"],
      [":workspace_roots/secret", "deny"],
    ]);
    const read = async () =>
      (await call("fs/readFile", { path: uri(at("link/secret")), sandbox })).error;
    const write = async (name: string) =>
      (await call("fs/writeFile", { path: uri(at(name)), dataBase64: "", sandbox })).error;
    return { at, turn, read, write };
  }

  it("a root that was turned keeps what is denied below it, and the old one is written no more", async () => {
    const { turn, read, write } = laidOut();
    expect(await read()).toEqual(DENIED);
    expect(await write("one/new")).toBeUndefined();
    turn("two");
    expect(await read()).toEqual(DENIED);
    expect(await write("one/newer")).toMatchObject({ code: -32603 });
    expect(await write("two/new")).toBeUndefined();
  });

  it("a root that is the same folder by another path keeps what is denied below it", async () => {
    const { at, turn, read } = laidOut();
    expect(await read()).toEqual(DENIED);
    fs.renameSync(at("one"), at("moved"));
    turn("moved");
    expect(await read()).toEqual(DENIED);
  });
});

describe("a place that was agreed to by its name", () => {
  const grant = (place: string) =>
    contextFor("/usr", [
      [":root", "read"],
      [place, "write"],
    ]);
  const turned = { code: -32600, message: expect.stringContaining("now leads to") };

  it("is refused as a link, also where the same policy without that word was just used", async () => {
    const { at } = layOut();
    const { call } = fileClient();
    const file = { path: uri(at("link/new")), dataBase64: "", sandbox: grant(at("link")) };
    const unturned = { ...file.sandbox, unturned: [uri(at("link"))] };
    expect(await call("fs/writeFile", file)).toEqual({ result: {} });
    expect(await call("fs/writeFile", { ...file, sandbox: unturned })).toMatchObject({
      error: turned,
    });
  });

  it("is refused as soon as it has become one", async () => {
    const { at } = layOut();
    const { call } = fileClient();
    const sandbox = { ...grant(at("one")), unturned: [uri(at("one"))] };
    const file = { path: uri(at("one/new")), dataBase64: "", sandbox };
    expect(await call("fs/writeFile", file)).toEqual({ result: {} });
    fs.renameSync(at("one"), at("moved"));
    fs.symlinkSync(at("two"), at("one"));
    expect(await call("fs/writeFile", file)).toMatchObject({ error: turned });
    fs.rmSync(at("one"));
    fs.symlinkSync(at("moved"), at("one"));
    expect(await call("fs/writeFile", file)).toMatchObject({ error: turned });
  });
});
