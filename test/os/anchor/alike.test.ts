/** In every other way a command of an anchor is confined as one without it. */
import { describe, expect, it } from "vitest";
import type { SandboxIntent } from "../../../src/exec/index.ts";
import type { Limits } from "../../../src/policy/index.ts";
import { collected } from "../../exec/contract/support/collected.ts";
import { USERS } from "../support/sandbox-user.ts";
import { type AnchorLab, anchorLab, sh } from "./support/anchor-lab.ts";

describe.each(USERS)("as %s, a command of an anchor", (user) => {
  it("has a terminal with a session of its own where it asks for one", async () => {
    const { executor, anchors, request } = await anchorLab(user);
    await anchors.open({ anchorId: "a", ids: {} });
    const terminal = { columns: 91, rows: 17 };
    const running = await executor.start({
      ...request("a", sh('stty size; [ "$(ps -o sid= -p $$ | tr -d " ")" = "$$" ] && echo leads')),
      terminal,
    });
    expect((await collected(running)).pty).toBe("17 91\r\nleads\r\n");
  });

  it("is ended at a limit", async () => {
    const lab = await anchorLab(user);
    await lab.anchors.open({ anchorId: "a", ids: {} });
    const asked = lab.request("a", sh("sleep 600"));
    const running = await lab.executor.start({
      ...asked,
      sandbox: limited(lab, { wallTimeMs: 50 }),
    });
    expect((await collected(running)).exit.exitCode).toBe(124);
  });

  it("is kept from more processes than it may have", async () => {
    const lab = await anchorLab(user);
    await lab.anchors.open({ anchorId: "a", ids: {} });
    const script = "for i in $(seq 400); do sleep 60 & done; wait; echo all";
    const asked = lab.request("a", sh(script));
    const running = await lab.executor.start({
      ...asked,
      sandbox: limited(lab, { processes: 310 }),
    });
    const { stdout, stderr, exit } = await collected(running);
    expect(`${stdout}${stderr}${exit.exitCode}`).toMatch(/Cannot fork|Resource temporarily|124/);
  });

  it("makes no namespace and joins none", async () => {
    const { anchors, run } = await anchorLab(user);
    await anchors.open({ anchorId: "a", ids: {} });
    const script = "unshare -U true; unshare -n true; nsenter --net=/proc/self/ns/net true";
    const { stderr } = await run("a", sh(script));
    expect(stderr.match(/Operation not permitted/g)).toHaveLength(3);
  });
});

function limited({ request }: AnchorLab, limits: Limits): SandboxIntent {
  const { sandbox } = request("a", sh("true"));
  if (sandbox.kind !== "enforce") throw new Error("there is an intent");
  const { context } = sandbox;
  return { kind: "enforce", context: { ...context, profile: { ...context.profile, limits } } };
}
