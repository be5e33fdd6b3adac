import { chmodSync, linkSync, mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parseAbsolutePath } from "../../../../src/policy/index.ts";
import { checkLayer } from "../../../../src/session/provider/local/snapshots/check-layer.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

function layer(files: Readonly<Record<string, string>> = { "layer/a/file": "12345" }) {
  const base = temporaryFolder({ ...files, "outside/file": "secret" });
  return { base, at: (name: string) => path.join(base, name) };
}

const check = (base: string) => checkLayer(parseAbsolutePath(path.join(base, "layer")));

describe("checkLayer", () => {
  it("counts what is there, and a file with two names once", async () => {
    const { base, at } = layer();
    linkSync(at("layer/a/file"), at("layer/b"));
    symlinkSync("a/file", at("layer/link"));
    expect(await check(base)).toEqual({ bytes: 5, entries: 4 });
  });

  it("refuses a file that has another name outside", async () => {
    const { base, at } = layer();
    linkSync(at("outside/file"), at("layer/a/taken"));
    await expect(check(base)).rejects.toThrow(/another name outside the layer at .*taken/);
  });

  it.each([0o4755, 0o2755])("refuses a file with mode %o", async (mode) => {
    const { base, at } = layer();
    chmodSync(at("layer/a/file"), mode);
    await expect(check(base)).rejects.toMatchObject({ code: "snapshotFailed" });
  });

  it("refuses a link to a folder beside it whose name begins alike", async () => {
    const { base, at } = layer();
    mkdirSync(at("layer-other"));
    symlinkSync("../layer-other", at("layer/link"));
    await expect(check(base)).rejects.toThrow(/leaves the layer/);
  });

  it("names what it refuses on one line, whatever it is called", async () => {
    const { base, at } = layer();
    symlinkSync("/etc", at("layer/\u001b[2J\nevil"));
    const refusal = await check(base).catch((error: Error) => error.message);
    expect(refusal).toMatch(/absolute path/);
    expect(refusal).not.toMatch(/\p{Cc}/u);
  });
});
