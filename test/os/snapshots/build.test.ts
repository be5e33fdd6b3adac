/** What building a layer does and leaves, with a real npm in a real sandbox. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { NEVER } from "../../session/provider/support/sandbox-of.ts";
import { HELLO } from "./support/registry.ts";
import { type SnapshotLab, sh, snapshotLab } from "./support/snapshot-lab.ts";

const shell = (script: string) => ["/bin/sh", "-c", script];
const layerOf = ({ home, store }: SnapshotLab) =>
  path.join(home, "snapshots", store.list()[0]?.id ?? "");
const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: Error & { code: string }) => error,
  );

describe("building a layer", () => {
  it("case 84, 87: installs first, runs commands in order with its programs, and ends its sandbox", async () => {
    const lab = await snapshotLab();
    const source = lab.source({
      postinstall: [shell("hello > first"), shell("cat first first > second"), ["hello"]],
    });
    await source.resolve({ signal: NEVER });
    const layer = layerOf(lab);
    expect(readFileSync(path.join(layer, "second"), "utf8")).toBe(
      "hello from a package\nhello from a package\n",
    );
    expect(await lab.executor.anchors?.list()).toEqual([]);
    expect(lab.store.list()).toMatchObject([
      { dependencies: ["hello@1.0.0", "run:/bin/sh", "run:/bin/sh", "run:hello"] },
    ]);
  });

  it("case 85, 86: refuses packages of the system in a sentence, before anything is run", async () => {
    const lab = await snapshotLab();
    const refusal = await refusalOf(lab.source({ system: ["gh"] }).resolve({ signal: NEVER }));
    expect(refusal).toMatchObject({
      code: "unsupported",
      message: expect.stringMatching(/^Cannot install "gh" of the system: .*expected/),
    });
    expect([lab.registry.asked, lab.layers()]).toEqual([[], []]);
  });

  it.each<[string, object, RegExp]>([
    ["a package that is not there", { npm: { absent: "1.0.0" } }, /"npm install" exited with/],
    ["a command that fails", { postinstall: [["/bin/false"]] }, /"\/bin\/false" exited with 1/],
    ["a program that is not there", { postinstall: [["/no/such"]] }, /"\/no\/such"/],
  ])("publishes nothing after %s, and says which step it was", async (_, more, message) => {
    const lab = await snapshotLab();
    const refusal = await refusalOf(lab.source(more).resolve({ signal: NEVER }));
    expect(refusal).toMatchObject({
      code: "snapshotFailed",
      message: expect.stringMatching(message),
    });
    expect([lab.store.list(), lab.store.building(), lab.layers()]).toEqual([[], [], []]);
    expect(await lab.executor.anchors?.list()).toEqual([]);
  });

  it("is ended where it takes more of the disk than it may, and leaves nothing", async () => {
    const lab = await snapshotLab({ room: { mostTaken: 64 * 2 ** 20, leastLeft: 0 } });
    const script = 'head -c 400000000 /dev/zero > "$WRIT_SNAPSHOT/big"; sleep 600';
    const more = { postinstall: [["/bin/sh", "-c", script]] };
    const refusal = await refusalOf(lab.source(more).resolve({ signal: NEVER }));
    expect(refusal).toMatchObject({
      code: "snapshotFailed",
      message: expect.stringContaining("takes too much of it"),
    });
    expect([lab.store.list(), lab.store.building(), lab.layers()]).toEqual([[], [], []]);
    expect(await lab.executor.anchors?.list()).toEqual([]);
  });

  it("is called off in the middle, and leaves nothing", async () => {
    const lab = await snapshotLab();
    const stop = new AbortController();
    const gate = Promise.withResolvers<void>();
    lab.registry.gate = gate.promise;
    const building = refusalOf(lab.source().resolve({ signal: stop.signal }));
    await expect
      .poll(() => lab.registry.asked.some((one) => one.endsWith(".tgz")), PATIENT)
      .toBe(true);
    expect(lab.layers()).toHaveLength(1);
    stop.abort();
    expect(await building).toMatchObject({ code: "aborted" });
    gate.resolve();
    expect([lab.store.list(), lab.store.building(), lab.layers()]).toEqual([[], [], []]);
  });

  it("gives commands the network of the machine where that was said, and none where it was not", async () => {
    const lab = await snapshotLab();
    const asks = [
      "node",
      "-e",
      `fetch("${lab.registry.url}words").then((found) => process.exit(found.ok ? 0 : 1))`,
    ];
    const closed = { npm: {}, registry: undefined, network: false, postinstall: [asks] };
    const refusal = await refusalOf(lab.source(closed).resolve({ signal: NEVER }));
    expect(refusal).toMatchObject({ code: "snapshotFailed" });
    expect(lab.registry.asked).toEqual([]);
    await lab.source({ ...closed, network: true }).resolve({ signal: NEVER });
    expect(lab.registry.asked).toEqual(["/words"]);
  });

  it("runs the install script of a package in the sandbox as well", async () => {
    const lab = await snapshotLab();
    const secret = path.join(lab.outside, "secret");
    writeFileSync(secret, "secret");
    const at = '"$WRIT_SNAPSHOT"';
    const postinstall = `cat ${secret} > ${at}/seen; echo x > ${lab.outside}/planted; true`;
    const manifest = { scripts: { postinstall } };
    lab.registry.put({ ...HELLO, version: "2.0.0", manifest });
    await lab.source({ npm: { hello: "2.0.0" } }).resolve({ signal: NEVER });
    expect(readFileSync(path.join(layerOf(lab), "seen"), "utf8")).toBe("");
    expect(existsSync(path.join(lab.outside, "planted"))).toBe(false);
  });
});

const PATIENT = { timeout: 60_000 };

describe("red-team D7: a layer that is more than files", () => {
  it.each<[string, string, RegExp]>([
    ["a link to an absolute path", "ln -s /etc/passwd bad", /absolute path/],
    ["a link to an absolute path inside", 'ln -s "$WRIT_SNAPSHOT/x" bad; touch x', /absolute path/],
    ["a link above the layer", "ln -s ../.. bad", /leaves the layer/],
    [
      "a link that leaves behind another link",
      "mkdir -p a/b; ln -s ../.. a/b/top; ln -s top/../.. a/b/bad",
      /leaves the layer/,
    ],
    ["a link that leads nowhere", "ln -s nowhere bad", /leads nowhere/],
    ["a link to itself", "ln -s bad bad", /leads nowhere/],
    ["a pipe", "mkfifo bad", /no file, folder or link/],
  ])("refuses %s, and publishes nothing", async (_, script, message) => {
    const lab = await snapshotLab();
    const more = { npm: {}, registry: undefined, network: false, postinstall: [shell(script)] };
    const refusal = await refusalOf(lab.source(more).resolve({ signal: NEVER }));
    expect(refusal).toMatchObject({
      code: "snapshotFailed",
      message: expect.stringMatching(message),
    });
    expect([lab.store.list(), lab.layers()]).toEqual([[], []]);
  });

  it("takes links and second names that stay inside", async () => {
    const lab = await snapshotLab();
    const script =
      "mkdir -p a/b; touch a/f; ln -s ../f a/b/link; ln a/f a/g; ln -s a/b/../b/link up";
    const more = { npm: {}, registry: undefined, network: false, postinstall: [shell(script)] };
    await lab.source(more).resolve({ signal: NEVER });
    expect(lab.store.list()).toHaveLength(1);
  });
});

describe("a layer that was built", () => {
  it("is rebuilt once when its folder is gone, and the command runs", async () => {
    const lab = await snapshotLab();
    const source = lab.source();
    const id = await source.resolve({ signal: NEVER });
    rmSync(path.join(lab.home, "snapshots", id), { recursive: true });
    expect((await sh(lab.session(source), "hello")).stdout).toBe("hello from a package\n");
    expect(lab.store.list().map((one) => one.id)).not.toContain(id);
    expect(lab.store.list()).toHaveLength(1);
  });

  it("stays while a sandbox stands on it, and may go when none does", async () => {
    const lab = await snapshotLab();
    const source = lab.source();
    const session = lab.session(source);
    await sh(session, "true");
    const [{ id, uses } = { id: "", uses: 0 }] = lab.store.list();
    expect([uses, lab.store.remove(id)]).toEqual([1, "used"]);
    await session.dispose();
    expect(lab.store.remove(id)).toBe("removed");
  });

  it("is read-only for files of a session too, and hidden from sessions without it", async () => {
    const lab = await snapshotLab();
    const session = lab.session(lab.source());
    await sh(session, "true");
    const file = path.join(layerOf(lab), "lib/node_modules/hello/package.json");
    const bytes = await session.workspace.readFileToBuffer({
      path: file,
      signal: NEVER,
    });
    expect(JSON.parse(String(bytes)).name).toBe("hello");
    const write = [{ path: file, content: Buffer.from("{}") }];
    const change = session.changeFiles({ by: "test", write, remove: [], signal: NEVER });
    expect(await refusalOf(change)).toMatchObject({ code: "forbidden" });
    const plain = lab.session(undefined, "thread-2");
    expect((await sh(plain, `cat ${file}`)).exitCode).not.toBe(0);
  });
});
