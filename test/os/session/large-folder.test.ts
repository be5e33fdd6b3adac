/** A folder that is too large for a list. */
import { closeSync, openSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { executorAt } from "../../../src/exec/remote/executor-at.ts";
import { createLocalProvider } from "../../../src/session/provider/local/create-local-provider.ts";
import { contractPlace } from "../../exec/contract/support/contract-place.ts";
import {
  execServer,
  listening,
  localExecutor,
  remoteExecutor,
} from "../../exec/contract/support/our-executors.ts";
import { ON_EXECUTOR } from "../../session/provider/provider-contract.ts";
import { wordsOf } from "../../session/provider/support/sandbox-of.ts";

it.each([
  ["here", () => localExecutor().executor],
  ["over a wire", async () => remoteExecutor(executorAt(await listening(execServer())))],
])("a folder of 50,001 files is refused with the bound and another way, %s", async (_, open) => {
  const { workspace } = contractPlace();
  for (let index = 0; index <= 50_000; index += 1) {
    closeSync(openSync(path.join(workspace, `${index}`), "w"));
  }
  const { filesUnder, sandboxOf } = wordsOf(ON_EXECUTOR.intentIn);
  const sandbox = await sandboxOf(createLocalProvider({ executor: await open() }), workspace);
  onTestFinished(() => sandbox.stop());
  await expect(sandbox.listDir(".", filesUnder(workspace))).rejects.toMatchObject({
    code: "invalidInput",
    message:
      'Cannot list ".": it has more than 50000 entries, expected at most as many. Look at a part of it with a command, such as ls or find',
  });
});
