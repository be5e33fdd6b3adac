/** What a provider says once the machine of its sandboxes is gone. */
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { executorAt } from "../../../src/exec/remote/executor-at.ts";
import { createLocalProvider } from "../../../src/session/provider/local/create-local-provider.ts";
import { remoteExecutor } from "../../exec/contract/support/our-executors.ts";
import {
  filesUnder,
  NEVER,
  outcomeOf,
  sandboxOf,
  scriptOf,
} from "../../session/provider/support/sandbox-of.ts";
import { startLab } from "../exec-server/support/exec-lab.ts";
import { USERS } from "../support/sandbox-user.ts";

const codeOf = (code: string) => ({ name: "SessionError", code });

describe.each(USERS)("a server that is killed (%s)", (user) => {
  it("leaves a command whose end is not known, and a sandbox nobody can ask about", async () => {
    const { server, url, place } = await startLab({ user });
    const { workspace } = place;
    place.give();
    const times = { retryMs: 20, budgetMs: 3000 };
    const executor = await remoteExecutor(executorAt(url), { times });
    const sandbox = await sandboxOf(createLocalProvider({ executor }), workspace);
    const command = await sandbox.runCommand(scriptOf("echo begun; sleep 60", workspace));
    const told = outcomeOf(command).catch((error: unknown) => error);
    const exited = once(server, "exit");
    server.kill("SIGKILL");
    await exited;
    expect(await told).toMatchObject(codeOf("interrupted"));
    await expect(sandbox.probe(NEVER)).rejects.toMatchObject(codeOf("unavailable"));
    const next = sandbox.runCommand(scriptOf("true", workspace));
    await expect(next).rejects.toMatchObject(codeOf("interrupted"));
    const reading = sandbox.readFileToBuffer("a", filesUnder(workspace));
    await expect(reading).rejects.toMatchObject(codeOf("unavailable"));
    const writing = sandbox.mkDir("a", filesUnder(workspace));
    await expect(writing).rejects.toMatchObject({ name: "SessionError" });
  });
});
