/** File operations in anchors that the test plays: whose views are kept for whom, and until when. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { AnchorPlace } from "../../../src/exec/anchors/anchor-place.ts";
import { unknownAnchor } from "../../../src/exec/anchors/unknown-anchor.ts";
import { createLocalFiles } from "../../../src/exec/files/create-local-files.ts";
import type { AnchorEntrance } from "../../../src/exec/files/under-intent.ts";
import { intentOfWire } from "../../../src/exec/intent/intent-of-wire.ts";
import { probePlaces } from "../../../src/exec/intent/probe-places.ts";
import { parseAbsolutePath, uriOfNative } from "../../../src/policy/index.ts";
import type { Rule } from "../../policy/support/profiles.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { contextFor, hostFor } from "./support/file-client.ts";

const NETWORK = { nsenter: parseAbsolutePath("/n"), user: "u", network: "n", identity: "1:2" };

/** A folder of anchors that is writ's own; `put` opens one under a name. */
function layOut() {
  const base = fs.realpathSync(
    temporaryFolder({ "ws/f": "ws", "anchors/x/home/f": "x", "anchors/y/home/f": "y" }),
  );
  for (const name of ["x", "y"]) fs.mkdirSync(path.join(base, "anchors", name, "tmp"));
  const open = new Map<string, { place: AnchorPlace; over: AbortController }>();
  const anchors: AnchorEntrance = {
    async use(anchorId, work) {
      const found = open.get(anchorId);
      if (found === undefined) throw unknownAnchor(anchorId);
      return work(found.place, found.over.signal);
    },
  };
  const at = (name: string) => path.join(base, name);
  const put = (anchorId: string, folder: string) => {
    const part = (of: string) => parseAbsolutePath(at(`anchors/${folder}/${of}`));
    const over = new AbortController();
    const folders = { home: part("home"), tmp: part("tmp"), shelf: part("shelf") };
    const place = { ...folders, network: NETWORK, over: over.signal };
    open.set(anchorId, { place, over });
    return () => {
      open.delete(anchorId);
      over.abort(unknownAnchor(anchorId));
    };
  };
  // Only so can a policy come to the same outside of the anchor.
  const places = probePlaces({ TMPDIR: at("anchors/x/tmp") });
  const files = createLocalFiles({ ...hostFor({}, [at("anchors")]), ...places }, { anchors });
  const intent = (rules: readonly Rule[]) => intentOfWire(contextFor(at("ws"), rules), "client");
  return { at, put, files, intent };
}

type Lab = ReturnType<typeof layOut>;

function reading({ at, files }: Lab, sandbox: ReturnType<Lab["intent"]>) {
  return async (name: string, anchor: string | null) => {
    const bytes = await files.readFile({
      path: uriOfNative(at(name)),
      links: "follow",
      sandbox,
      anchor,
    });
    return Buffer.from(bytes).toString();
  };
}

const READ: readonly Rule[] = [[":root", "read"]];

describe("a view from an anchor", () => {
  it("is not that of another anchor or of none, for one and the same intent", async () => {
    const lab = layOut();
    lab.put("a", "x");
    lab.put("b", "y");
    const read = reading(lab, lab.intent(READ));
    for (let round = 0; round < 2; round += 1) {
      expect([
        await read("anchors/x/home/f", "a"),
        await read("anchors/y/home/f", "b"),
        await read("ws/f", null),
      ]).toEqual(["x", "y", "ws"]);
      await expect(read("anchors/y/home/f", "a")).rejects.toMatchObject({ name: "FileError" });
      await expect(read("anchors/x/home/f", "b")).rejects.toMatchObject({ name: "FileError" });
      await expect(read("anchors/x/home/f", null)).rejects.toMatchObject({ name: "FileError" });
    }
  });

  it("does not serve a policy that comes to the same and names the folders by itself", async () => {
    const lab = layOut();
    lab.put("a", "x");
    const rules: readonly Rule[] = [
      ...READ,
      [lab.at("anchors/x/home"), "write"],
      [lab.at("anchors/x/tmp"), "write"],
    ];
    const one = lab.intent(rules);
    expect(await reading(lab, one)("anchors/x/home/f", "a")).toBe("x");
    for (const sandbox of [one, lab.intent(rules)]) {
      const stranger = reading(lab, sandbox)("anchors/x/home/f", null);
      await expect(stranger).rejects.toMatchObject({ code: "unenforceable" });
    }
  });

  it("is gone with its anchor, and the next one of that name has its own", async () => {
    const lab = layOut();
    const close = lab.put("a", "x");
    const read = reading(lab, lab.intent(READ));
    expect(await read("anchors/x/home/f", "a")).toBe("x");
    close();
    const unknown = { code: "unknownAnchor", field: "anchor" };
    await expect(read("ws/f", "a")).rejects.toMatchObject(unknown);
    lab.put("a", "y");
    expect(await read("anchors/y/home/f", "a")).toBe("y");
    await expect(read("anchors/x/home/f", "a")).rejects.toMatchObject({ name: "FileError" });
  });
});

describe("work in an anchor", () => {
  it("stops between two steps when the anchor ends", async () => {
    const lab = layOut();
    const close = lab.put("a", "x");
    for (let count = 0; count < 300; count += 1) fs.writeFileSync(lab.at(`ws/f${count}`), "");
    const under = { links: "follow", sandbox: lab.intent(WRITE), anchor: "a" } as const;
    const from = { path: uriOfNative(lab.at("ws")), ...under };
    const to = { path: uriOfNative(lab.at("anchors/x/tmp/copy")), ...under };
    const copying = lab.files.copy(from, to, { recursive: true });
    const watcher = setInterval(() => {
      if (fs.existsSync(lab.at("anchors/x/tmp/copy"))) close();
    }, 0);
    onTestFinished(() => clearInterval(watcher));
    await expect(copying).rejects.toMatchObject({ code: "unknownAnchor" });
    const copied = fs.readdirSync(lab.at("anchors/x/tmp/copy")).length;
    expect(copied).toBeLessThan(301);
  });

  it("is refused where there are no anchors at all", async () => {
    const files = createLocalFiles(hostFor());
    const at = { path: uriOfNative("/etc/hosts"), links: "follow" } as const;
    const { intent } = layOut();
    const looking = files.getMetadata({ ...at, sandbox: intent(READ), anchor: "a" });
    await expect(looking).rejects.toMatchObject({ code: "unknownAnchor" });
  });
});

const WRITE: readonly Rule[] = [[":root", "write"]];
