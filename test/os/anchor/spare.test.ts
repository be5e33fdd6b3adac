/** A network that is held ahead of the next anchor: like any other, given away once, gone with its executor. */
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { askAt, firstOutput, serveOn } from "../../exec/contract/support/loopback.ts";
import { until } from "../launch/live-run.ts";
import { USERS } from "../support/sandbox-user.ts";
import {
  type AnchorLab,
  anchorLab,
  holdersOf,
  isAlive,
  recordedAt,
  sh,
  usersOf,
} from "./support/anchor-lab.ts";

const PORT = 7719;
const NETWORK = sh("readlink /proc/self/ns/net");

/** Opens two anchors and waits for what is made ahead of a third. */
async function withSpare(lab: AnchorLab) {
  await lab.anchors.open({ anchorId: "a", ids: {} });
  await lab.anchors.open({ anchorId: "b", ids: {} });
  const taken = await Promise.all(
    ["a", "b"].map(async (id) => (await lab.run(id, NETWORK)).stdout),
  );
  const joined = taken.flatMap((network) => usersOf(network.trim()));
  const spares = () => holdersOf(lab.server).filter(({ first }) => !joined.includes(first));
  await until(() => spares().length === 1);
  return spares()[0] ?? { launcher: 0, first: 0 };
}

describe.each(USERS)("as %s, a network held ahead", (user) => {
  it("is the one of the next anchor, which shares it with nobody", async () => {
    const lab = await anchorLab(user);
    const spare = await withSpare(lab);
    const serving = await lab.executor.start(lab.request("a", serveOn(PORT)));
    expect(await firstOutput(serving)).toBe("serving\n");
    await lab.anchors.open({ anchorId: "c", ids: {} });
    expect(usersOf((await lab.run("c", NETWORK)).stdout.trim())).toContain(spare.first);
    expect((await lab.run("c", askAt(PORT))).stdout).toBe("refused\n");
    expect(await lab.anchors.close("c")).toBe(true);
    expect([spare.launcher, spare.first].map(isAlive)).toEqual([false, false]);
  });

  it("goes with the last anchor that is closed", async () => {
    const lab = await anchorLab(user);
    const spare = await withSpare(lab);
    await lab.anchors.close("a");
    expect([spare.launcher, spare.first].map(isAlive)).toEqual([true, true]);
    await lab.anchors.close("b");
    expect(holdersOf(lab.server)).toEqual([]);
    expect([spare.launcher, spare.first].map(isAlive)).toEqual([false, false]);
  });

  it("is replaced when its holder was killed", async () => {
    const lab = await anchorLab(user);
    const spare = await withSpare(lab);
    process.kill(spare.first, "SIGKILL");
    await until(() => !isAlive(spare.first));
    await lab.anchors.open({ anchorId: "c", ids: {} });
    expect((await lab.run("c", sh("echo lives"))).stdout).toBe("lives\n");
  });

  it("goes with its executor that is closed, and leaves nothing on record", async () => {
    const lab = await anchorLab(user);
    const spare = await withSpare(lab);
    const exited = once(lab.server, "exit");
    await lab.executor.close();
    await exited;
    expect([spare.launcher, spare.first].map(isAlive)).toEqual([false, false]);
    expect(recordedAt(lab.place)).toEqual([]);
  });

  it("goes with its executor that is killed", async () => {
    const lab = await anchorLab(user);
    const spare = await withSpare(lab);
    lab.server.kill("SIGKILL");
    await until(() => ![spare.launcher, spare.first].some(isAlive));
  });
});
