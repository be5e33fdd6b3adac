/** The process that holds a network: what it has, and how soon its end is known. */
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import { startAnchor } from "../../../src/sandbox/index.ts";

async function held() {
  const records = parseAbsolutePath(mkdtempSync("/var/tmp/writ-holder-"));
  onTestFinished(() => rmSync(records, { recursive: true }));
  const anchor = await startAnchor(records);
  onTestFinished(() => anchor.close());
  const [run = ""] = readdirSync(records).filter((name) => name.startsWith("run-"));
  const first = Number.parseInt(readFileSync(path.join(records, run), "utf8"), 10);
  return { anchor, first };
}

it("holds nothing but its network: no capability, no file, no descriptor of ours", async () => {
  const { first, anchor } = await held();
  const status = readFileSync(`/proc/${first}/status`, "utf8");
  expect(status.match(/^Cap(Prm|Eff|Bnd|Amb):\s+0+$/gm)).toHaveLength(4);
  expect(readdirSync(`/proc/${first}/root`)).toEqual([]);
  const links = readdirSync(`/proc/${first}/fd`).map((fd) => linkOf(`/proc/${first}/fd/${fd}`));
  expect(links.filter((link) => link.startsWith("/"))).toSatisfy((found: string[]) =>
    found.every((link) => link === "/dev/null" || link === "/proc"),
  );
  expect(anchor.isHeld()).toBe(true);
});

it("is known to be gone before anybody could be told", async () => {
  const { anchor, first } = await held();
  process.kill(first, "SIGKILL");
  // Nothing that happens elsewhere is heard of meanwhile.
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (let looks = 0; looks < 20_000 && anchor.isHeld(); looks += 1) Atomics.wait(clock, 0, 0, 1);
  expect(anchor.isHeld()).toBe(false);
  await anchor.over;
});

function linkOf(place: string): string {
  try {
    return readlinkSync(place);
  } catch {
    return "";
  }
}
