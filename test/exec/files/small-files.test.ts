/** Files that are read and written at once, and those beside them that are not. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { answersAtOnce } from "../../../src/exec/files/answers-at-once.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { contextFor, fileClient, hostFor, uri, WORKSPACE_WRITE } from "./support/file-client.ts";

const done = { result: {} };
const filled = (length: number) => Buffer.alloc(length, "0123456789");

describe("a file of any size", () => {
  it.each([0, 1, 65_535, 65_536, 65_537, 200_000])(
    "is written and read as it is, with %i bytes",
    async (length) => {
      const folder = temporaryFolder({ f: "x".repeat(70_000) });
      const { call } = fileClient();
      const at = { path: uri(folder, "f") };
      const dataBase64 = filled(length).toString("base64");
      expect(await call("fs/writeFile", { ...at, dataBase64 })).toEqual(done);
      expect(fs.readFileSync(path.join(folder, "f")).equals(filled(length))).toBe(true);
      expect(await call("fs/readFile", at)).toEqual({ result: { dataBase64 } });
    },
  );

  it("is read to its end where the kernel does not say how long it is", async () => {
    const { call } = fileClient();
    const { result } = await call("fs/readFile", { path: "file:///proc/self/status" });
    expect(Buffer.from(String(result?.dataBase64), "base64").toString()).toContain("VmRSS");
  });

  it("is read as a whole where the kernel tells it to one reader in one piece only", async () => {
    const { call } = fileClient();
    const file = "/proc/sys/kernel/pid_max";
    const { result } = await call("fs/readFile", { path: `file://${file}` });
    const content = Buffer.from(String(result?.dataBase64), "base64").toString();
    expect(content).toBe(fs.readFileSync(file, "utf8"));
  });

  it("is left to a thread where the kernel makes it up, or somebody else keeps it", () => {
    const inside = (file: string) => {
      const fd = fs.openSync(file, "r");
      try {
        return answersAtOnce(fd, fs.fstatSync(fd));
      } finally {
        fs.closeSync(fd);
      }
    };
    expect(inside("/proc/self/status")).toBe(false);
    expect(inside("/sys/kernel/mm/transparent_hugepage/enabled")).toBe(false);
    expect(inside("/proc/self/status")).toBe(false);
  });
});

describe("a workspace root that is turned away between two calls with one intent", () => {
  it("opens nothing where it leads now, and is refused", async () => {
    const base = fs.realpathSync(temporaryFolder({ "in/ws/f": "mine", "out/f": "secret" }));
    const link = path.join(base, "in/link");
    fs.symlinkSync("ws", link);
    const { call } = fileClient(hostFor({ roots: [path.join(base, "in") as never] }));
    const sandbox = contextFor(link, [[":minimal", "read"], ...WORKSPACE_WRITE.slice(1)]);
    const at = { path: uri(link, "f"), sandbox };
    const data = { dataBase64: "bmV3" };
    expect(await call("fs/writeFile", { ...at, ...data })).toEqual(done);
    fs.unlinkSync(link);
    fs.symlinkSync("../out", link);
    expect((await call("fs/writeFile", { ...at, ...data })).error).toBeDefined();
    expect((await call("fs/readFile", at)).error).toBeDefined();
    expect(fs.readFileSync(path.join(base, "out/f"), "utf8")).toBe("secret");
  });
});
