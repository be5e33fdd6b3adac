/** However an overlaid anchor ends, nothing of it is left, and the folder is as it was. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  type AnchorLab,
  anchorLab,
  anchorsAt,
  isAlive,
  namesIn,
  sh,
  uri,
} from "../anchor/support/anchor-lab.ts";
import { until } from "../launch/live-run.ts";
import { USERS } from "../support/sandbox-user.ts";
import { numbered } from "../support/users.ts";

/** Every process that is among the overlays of a workspace. */
function among({ place }: AnchorLab): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      try {
        const table = readFileSync(`/proc/${pid}/mountinfo`, "utf8");
        return table.includes(` ${place.workspace} `) && table.includes("upperdir=");
      } catch {
        return false;
      }
    })
    .filter(isAlive);
}

/** Hard to remove: closed folders, whiteouts, a long way down. */
const HARD = sh(
  "mkdir -p d/e; touch d/e/f; chmod 0 d/e d; rm file; mkdir $(seq -s/ 200 | cut -c1-200)",
);

describe.each(numbered(USERS))("as %s, an overlaid anchor", (user) => {
  it("leaves no process, mount, folder or write when it is closed", async () => {
    const lab = await opened(user);
    await lab.run("a", HARD);
    const running = await lab.executor.start(lab.request("a", sh("echo on; sleep 600")));
    await running.events[Symbol.asyncIterator]().next();
    expect(among(lab).length).toBeGreaterThan(1);
    expect(await lab.anchors.close("a")).toBe(true);
    await until(() => among(lab).length === 0);
    expect(namesIn(anchorsAt(lab.place))).toEqual([]);
    expect(namesIn(lab.place.workspace)).toEqual(["file"]);
    await expect(lab.anchors.find("a")).rejects.toMatchObject({ code: "unknownAnchor" });
    await lab.anchors.open({ anchorId: "a", ids: {}, overlays: [uri(lab.place.workspace)] });
    expect((await lab.run("a", sh("cat file; ls d"))).stdout).toBe("host\n");
  });

  it("whose executor is killed ends its commands and is unknown from then on; others live", async () => {
    const lab = await opened(user);
    await lab.anchors.open({ anchorId: "b", ids: {} });
    const running = await lab.executor.start(lab.request("a", sh("echo on; sleep 600")));
    const events = running.events[Symbol.asyncIterator]();
    await events.next();
    const keeper = among(lab).find((pid) => parentOf(pid) === lab.server.pid);
    process.kill(keeper ?? 0, "SIGKILL");
    expect((await events.next()).value).toMatchObject({ kind: "exited", exit: { exitCode: 137 } });
    expect((await events.next()).value).toMatchObject({ kind: "closed" });
    await until(() => among(lab).length === 0);
    await until(() => namesIn(anchorsAt(lab.place)).length === 2);
    const start = lab.executor.start(lab.request("a", sh("touch ran")));
    await expect(start).rejects.toMatchObject({ code: "unknownAnchor" });
    expect(namesIn(lab.place.workspace)).toEqual(["file"]);
    expect((await lab.run("b", sh("echo lives"))).stdout).toBe("lives\n");
  });

  it("is the only one of its name, however many ask for it at once", async () => {
    const lab = await anchorLab(user);
    const overlays = [uri(lab.place.workspace)];
    const both = [overlays, [], overlays, overlays];
    const asked = both.map((one) => lab.anchors.open({ anchorId: "same", ids: {}, overlays: one }));
    const answers = (await Promise.allSettled(asked)).map(({ status }) => status).sort();
    expect(answers).toEqual(["fulfilled", "rejected", "rejected", "rejected"]);
    expect(await lab.anchors.close("same")).toBe(true);
    expect(await lab.anchors.list()).toEqual([]);
    await until(() => among(lab).length === 0);
  });

  it("of a killed server is gone at once, and its folders with the next one that is opened", async () => {
    const lab = await opened(user);
    await lab.run("a", HARD);
    const running = await lab.executor.start(lab.request("a", sh("echo on; sleep 600")));
    await running.events[Symbol.asyncIterator]().next();
    lab.server.kill("SIGKILL");
    await once(lab.server, "exit");
    await until(() => among(lab).length === 0);
    expect(namesIn(lab.place.workspace)).toEqual(["file"]);
    expect(namesIn(anchorsAt(lab.place))).toHaveLength(2);
    const next = await anchorLab(user, lab.place);
    await next.anchors.open({ anchorId: "b", ids: {} });
    expect(namesIn(anchorsAt(lab.place))).toHaveLength(2);
    await next.anchors.close("b");
    expect(namesIn(anchorsAt(lab.place))).toEqual([]);
  });

  it("is among mounts that nobody there could change, and that the host does not have", async () => {
    const lab = await opened(user);
    const [keeper = 0] = among(lab).filter((pid) => parentOf(pid) === lab.server.pid);
    const link = (kind: string, pid: number | string) => readlinkSync(`/proc/${pid}/ns/${kind}`);
    expect(link("mnt", keeper)).not.toBe(link("mnt", "self"));
    expect(readFileSync("/proc/self/mountinfo", "utf8")).not.toContain(lab.place.workspace);
    const inside = ["--user", "--mount", "--preserve-credentials", "--target", String(keeper)];
    const umount = ["--", "/usr/bin/umount", "-l", lab.place.workspace];
    const { status, stderr } = spawnSync("/usr/bin/nsenter", [...inside, ...umount]);
    expect(status, String(stderr)).not.toBe(0);
    expect(among(lab)).toContain(keeper);
  });

  it("is taken down though its executor does not answer, and whoever closes all waits for it", async () => {
    const lab = await opened(user);
    const keeper = among(lab).find((pid) => parentOf(pid) === lab.server.pid) ?? 0;
    process.kill(keeper, "SIGSTOP");
    void lab.anchors.close("a").catch(() => {});
    await lab.executor.close();
    lab.server.stdin?.end();
    await once(lab.server, "exit");
    expect(among(lab)).toEqual([]);
    expect(namesIn(anchorsAt(lab.place))).toEqual([]);
  });
});

async function opened(user: Parameters<typeof anchorLab>[0]): Promise<AnchorLab> {
  const lab = await anchorLab(user);
  writeFileSync(path.join(lab.place.workspace, "file"), "host\n");
  lab.place.give();
  await lab.anchors.open({ anchorId: "a", ids: {}, overlays: [uri(lab.place.workspace)] });
  return lab;
}

function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}
