/** Shims in real sandboxes: of this machine, as root and as an ordinary user, and in VMs of a twin. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { executorAt } from "../../../src/exec/remote/executor-at.ts";
import { uriOfNative } from "../../../src/policy/index.ts";
import { createLocalProvider, ThreadSession, withShims } from "../../../src/session/index.ts";
import { contractPlace } from "../../exec/contract/support/contract-place.ts";
import { localExecutor, remoteExecutor } from "../../exec/contract/support/our-executors.ts";
import type { ProviderLab } from "../../session/provider/provider-contract.ts";
import { type IntentIn, intentIn, NEVER } from "../../session/provider/support/sandbox-of.ts";
import { vercelLab, vmIntentIn } from "../../session/provider/vercel/twin/vercel-lab.ts";
import { sharedLab } from "../exec-server/support/exec-lab.ts";
import { USERS } from "../support/sandbox-user.ts";

type Lab = Pick<ProviderLab, "provider" | "workspace"> & { readonly intentIn: IntentIn };

/** A session, with another `gh` first in the path of its commands that leaves a file where it is run. */
function sessionOn({ provider, workspace, intentIn }: Lab) {
  const other = path.join(workspace, "other");
  mkdirSync(other);
  writeFileSync(path.join(other, "gh"), `#!/bin/sh\necho ran > ${workspace}/real\n`);
  chmodSync(path.join(other, "gh"), 0o755);
  const session = new ThreadSession({
    provider: withShims(provider, ["gh", "glab"]),
    thread: "thread-1",
    workspace: uriOfNative(workspace),
    intent: intentIn(workspace),
    remembered: undefined,
    onReference: async () => {},
  });
  onTestFinished(() => session.dispose());
  const sh = async (script: string) => {
    const env = { PATH: `${other}:/usr/bin:/bin` };
    const argv = ["/bin/sh", "-c", script] as const;
    return session.run({ by: "test", argv, env, signal: NEVER });
  };
  const hasRun = () => existsSync(path.join(workspace, "real"));
  return { session, sh, hasRun };
}

function shimBehaviours(name: string, make: () => Promise<Lab>): void {
  describe(name, () => {
    it("case 54: has a shim for gh that can be run, before anything else of that name", async () => {
      const { session, sh, hasRun } = sessionOn(await make());
      expect(await sh("gh --version")).toMatchObject({ stdout: "gh version 2.0.0 (writ eval)\n" });
      const { stdout } = await sh('f=$(command -v gh); stat -c %a "$f"; dirname "$f"');
      expect(stdout).toMatch(/^755\n\/.*\/writ-shims-[0-9a-f]{32}\/bin\n$/);
      const tool = { tool: "bash", input: { command: "gh api user" }, signal: NEVER };
      expect((await session.tools.execute(tool)).value).toMatchObject({ stdout: "{}\n", ok: true });
      expect(hasRun()).toBe(false);
    });

    it("case 101: prints {} for a route that it does not know, and runs no other gh", async () => {
      const { sh, hasRun } = sessionOn(await make());
      const { stdout, exitCode } = await sh("gh api /repos/x/y/pulls/1");
      expect({ stdout, exitCode }).toEqual({ stdout: "{}\n", exitCode: 0 });
      expect(hasRun()).toBe(false);
    });

    it("case 102: refuses what it does not do, and runs no other gh", async () => {
      const { sh, hasRun } = sessionOn(await make());
      const { stderr, exitCode } = await sh("gh pr create --fill");
      expect(exitCode).toBe(1);
      expect(stderr).toContain('gh shim: "pr create" is not supported here');
      expect((await sh("glab mr list")).exitCode).toBe(1);
      expect(hasRun()).toBe(false);
    });

    it("keeps what was made for the next command of the sandbox", async () => {
      const { sh } = sessionOn(await make());
      expect((await sh("gh issue create -t one -b two")).stdout).toMatch(/\/101\n$/);
      expect((await sh("gh issue create -t three")).stdout).toMatch(/\/102\n$/);
      expect((await sh("gh issue view 101 --json title")).stdout).toBe('{"title":"one"}\n');
    });
  });
}

shimBehaviours("shims on this machine", async () => {
  const provider = createLocalProvider({ executor: localExecutor().executor });
  return { provider, ...contractPlace(), intentIn };
});

shimBehaviours("shims in VMs of Vercel", async () => ({
  ...(await vercelLab()),
  intentIn: vmIntentIn,
}));

for (const user of USERS) {
  const lab = sharedLab({ user });
  shimBehaviours(`shims on the server of a user (${user})`, async () => {
    const { place, url } = lab();
    const workspace = mkdtempSync(path.join(place.workspace, "ws-"));
    place.give();
    const provider = createLocalProvider({ executor: await remoteExecutor(executorAt(url)) });
    return { provider, workspace, intentIn };
  });
}

describe("a policy that opens no folder for temporary files", () => {
  it("case 55: runs nothing without its shims, and says which and why", async () => {
    const { workspace } = contractPlace();
    const provider = createLocalProvider({ executor: localExecutor().executor });
    const readOnly: IntentIn = (at) => intentIn(at, "read-only");
    const { sh, hasRun } = sessionOn({ provider, workspace, intentIn: readOnly });
    await expect(sh("gh api user; touch /tmp/never")).rejects.toMatchObject({
      name: "SessionError",
      message: expect.stringMatching(/^Cannot put the shim "writ-shims-.*cannot be made/),
    });
    expect(hasRun()).toBe(false);
  });
});
