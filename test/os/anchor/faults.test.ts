/** However an anchor ends, nothing of it is left, and nothing more runs in it. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { firstOutput } from "../../exec/contract/support/loopback.ts";
import { until } from "../launch/live-run.ts";
import { USERS } from "../support/sandbox-user.ts";
import {
  type AnchorLab,
  anchorLab,
  anchorsAt,
  holdersOf,
  isAlive,
  namesIn,
  recordedAt,
  sh,
  usersOf,
} from "./support/anchor-lab.ts";

const WAIT = sh("readlink /proc/self/ns/net; sleep 600");

/** A command that runs in an anchor, and the network it is in. */
async function waiting({ executor, request }: AnchorLab, anchorId: string) {
  const running = await executor.start(request(anchorId, WAIT));
  const network = (await firstOutput(running)).trim();
  return { running, network };
}

describe.each(USERS)("as %s, an anchor", (user) => {
  it("leaves no process, network, mount, folder or record when it is closed", async () => {
    const lab = await anchorLab(user);
    const mounts = readFileSync(`/proc/${lab.server.pid}/mountinfo`, "utf8");
    await lab.anchors.open({ anchorId: "a", ids: {} });
    const { network, running } = await waiting(lab, "a");
    const [holder] = holdersOf(lab.server);
    expect(usersOf(network).length).toBeGreaterThan(2);
    expect(await lab.anchors.close("a")).toBe(true);
    await running.receipt;
    expect([holder?.launcher ?? 0, holder?.first ?? 0].map(isAlive)).toEqual([false, false]);
    expect(holdersOf(lab.server)).toEqual([]);
    await until(() => usersOf(network).length === 0);
    expect(namesIn(anchorsAt(lab.place))).toEqual([]);
    expect(readFileSync(`/proc/${lab.server.pid}/mountinfo`, "utf8")).toBe(mounts);
    const exited = once(lab.server, "exit");
    await lab.executor.close();
    await exited;
    expect(recordedAt(lab.place)).toEqual([]);
  });

  it.each(["launcher", "first"] as const)(
    "whose holder is killed (the %s) ends its commands and is unknown from then on",
    async (victim) => {
      const lab = await anchorLab(user);
      await lab.anchors.open({ anchorId: "a", ids: {} });
      await lab.anchors.open({ anchorId: "b", ids: {} });
      const before = holdersOf(lab.server);
      const { running, network } = await waiting(lab, "a");
      const mine = before.find(({ first }) => usersOf(network).includes(first));
      process.kill(mine?.[victim] ?? 0, "SIGKILL");
      await until(() => !isAlive(mine?.first ?? 0));
      const start = lab.executor.start(lab.request("a", sh("touch ran")));
      await expect(start).rejects.toMatchObject({ code: "unknownAnchor" });
      await expect(lab.anchors.find("a")).rejects.toMatchObject({ code: "unknownAnchor" });
      await running.receipt;
      await until(() => usersOf(network).length === 0);
      await until(() => namesIn(anchorsAt(lab.place)).length === 2);
      expect(namesIn(lab.place.workspace)).not.toContain("ran");
      expect((await lab.anchors.list()).map(({ anchorId }) => anchorId)).toEqual(["b"]);
      expect((await lab.run("b", sh("echo lives"))).stdout).toBe("lives\n");
      await lab.anchors.open({ anchorId: "a", ids: {} });
    },
  );

  it("of a killed executor is gone at once, and its folders with the next one that is opened", async () => {
    const lab = await anchorLab(user);
    await lab.anchors.open({ anchorId: "a", ids: {} });
    await lab.run("a", sh('mkdir "$HOME/x"; touch "$HOME/x/f"; chmod 0 "$HOME/x"'));
    const { network } = await waiting(lab, "a");
    const [holder] = holdersOf(lab.server);
    lab.server.kill("SIGKILL");
    await once(lab.server, "exit");
    await until(() => !isAlive(holder?.launcher ?? 0) && !isAlive(holder?.first ?? 0));
    await until(() => usersOf(network).length === 0);
    expect(namesIn(anchorsAt(lab.place))).toHaveLength(2);
    const next = await anchorLab(user, lab.place);
    const { home } = await next.anchors.open({ anchorId: "b", ids: {} });
    const name = path.basename(path.dirname(home));
    expect(namesIn(anchorsAt(lab.place)).map((one) => one.slice(0, name.length))).toEqual([
      name,
      name,
    ]);
  });

  it("ends with the session that opened it", async () => {
    const lab = await anchorLab(user);
    await lab.anchors.open({ anchorId: "a", ids: {} });
    const { network } = await waiting(lab, "a");
    lab.server.stdin?.end();
    await once(lab.server, "exit");
    await until(() => usersOf(network).length === 0);
    expect(namesIn(anchorsAt(lab.place))).toEqual([]);
  });

  it("can be opened, used and closed beside many others", async () => {
    const lab = await anchorLab(user);
    const names = Array.from({ length: 12 }, (_, index) => `a${index}`);
    const networks = await Promise.all(
      names.map(async (anchorId) => {
        await lab.anchors.open({ anchorId, ids: {} });
        const { stdout } = await lab.run(anchorId, sh("readlink /proc/self/ns/net"));
        // Half of them while something is being started in them.
        const starting = lab.executor.start(lab.request(anchorId, WAIT)).catch(() => undefined);
        await lab.anchors.close(anchorId);
        await (await starting)?.terminate();
        return stdout.trim();
      }),
    );
    expect(new Set(networks).size).toBe(names.length);
    expect(holdersOf(lab.server)).toEqual([]);
    expect(namesIn(anchorsAt(lab.place))).toEqual([]);
    for (const network of networks) await until(() => usersOf(network).length === 0);
  });
});
