/** `fs/*` of the server under its own policy, as both users. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { USERS } from "../support/sandbox-user.ts";
import { commandLab, sharedLab } from "./support/command-lab.ts";

describe.each(USERS)("fs/* as %s", (user) => {
  const lab = sharedLab(user);
  const base64 = (text: string) => Buffer.from(text).toString("base64");

  it("N21: reads and writes in the workspace, and nowhere else", async () => {
    const { fs, place } = lab();
    const [file, folder] = [path.join(place.workspace, "a/b.txt"), path.join(place.workspace, "a")];
    await fs.createDirectory({ path: folder });
    await fs.writeFile({ path: file, dataBase64: base64("text") });
    expect(await fs.readFile({ path: file })).toEqual({ dataBase64: base64("text") });
    expect(await fs.readDirectory({ path: folder })).toEqual({
      entries: [{ fileName: "b.txt", isDirectory: false, isFile: true }],
    });
    const metadata = await fs.getMetadata({ path: file });
    expect(metadata).toMatchObject({ isDirectory: false, isFile: true, isSymlink: false });
    expect(Object.keys(metadata)).not.toContain("size");
    await fs.copy({ sourcePath: file, destinationPath: path.join(folder, "c.txt") });
    await fs.remove({ path: file });
    expect(readdirSync(folder)).toEqual(["c.txt"]);
    const out = path.join(place.outside, "x");
    const refused = { wireCode: -32603, message: expect.stringContaining("Read-only file system") };
    await expect(fs.writeFile({ path: out, dataBase64: "" })).rejects.toMatchObject(refused);
    await expect(fs.createDirectory({ path: out })).rejects.toMatchObject(refused);
    const copy = { sourcePath: path.join(folder, "c.txt"), destinationPath: out };
    await expect(fs.copy(copy)).rejects.toMatchObject(refused);
    expect(readdirSync(place.outside)).toEqual([]);
  });

  it("N21: writes nothing under a policy that only reads, and removes nothing", async () => {
    const { fs, place } = commandLab(user, ":read-only");
    const file = path.join(place.workspace, "kept");
    writeFileSync(file, "kept");
    place.give();
    const refused = { wireCode: -32603, data: { writ: { byPolicy: true } } };
    await expect(fs.writeFile({ path: file, dataBase64: "" })).rejects.toMatchObject(refused);
    await expect(fs.remove({ path: file })).rejects.toMatchObject(refused);
    expect(readFileSync(file, "utf8")).toBe("kept");
    expect(await fs.readFile({ path: file })).toEqual({ dataBase64: base64("kept") });
  });

  it("N21: keeps what is protected in a workspace, and what is writ's own", async () => {
    const { fs, place } = lab();
    mkdirSync(path.join(place.workspace, ".git"));
    place.give();
    const hook = { path: path.join(place.workspace, ".git/config"), dataBase64: base64("x") };
    await expect(fs.writeFile(hook)).rejects.toMatchObject({ wireCode: -32603 });
    expect(existsSync(hook.path)).toBe(false);
    const home = place.env.WRIT_HOME ?? "";
    const entries = await fs.readDirectory({ path: home }).catch(() => ({ entries: [] }));
    expect(entries).toEqual({ entries: [] });
  });

  it("says what is missing, relative, malformed or a policy", async () => {
    const { fs, place } = lab();
    const file = path.join(place.workspace, "none");
    await expect(fs.readFile({ path: file })).rejects.toMatchObject({
      wireCode: -32603,
      message: "No such file or directory (os error 2)",
    });
    await expect(fs.readFile({ path: "none" })).rejects.toMatchObject({ wireCode: -32600 });
    const bad = fs.writeFile({ path: file, dataBase64: "!!" });
    await expect(bad).rejects.toMatchObject({ wireCode: -32600 });
    expect(existsSync(file)).toBe(false);
  });
});
