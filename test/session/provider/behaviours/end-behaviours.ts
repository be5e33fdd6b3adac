/** Sandboxes that end without a word to whoever uses them. */
import { existsSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { MakeLab, ProviderOptions } from "../provider-contract.ts";
import { NEVER, outcomeOf, wordsOf } from "../support/sandbox-of.ts";

const codeOf = (code: string) => ({ name: "SessionError", code });

export function endBehaviours(make: MakeLab, options: ProviderOptions): void {
  const { filesUnder, sandboxOf, scriptOf } = wordsOf(options.intentIn);

  it("says of a command that died with its sandbox that its end is not known (cases 21, 35)", async () => {
    const { provider, workspace, strike } = await make();
    const sandbox = await sandboxOf(provider, workspace);
    const command = await sandbox.runCommand(
      scriptOf("echo begun; echo x >> begun; sleep 60", workspace),
    );
    const told = outcomeOf(command).catch((error: unknown) => error);
    await expect.poll(() => existsSync(path.join(workspace, "begun"))).toBe(true);
    await strike(sandbox.id);
    expect(await told).toMatchObject(codeOf("interrupted"));
    await expect(sandbox.probe(NEVER)).rejects.toMatchObject(codeOf("stopped"));
    const next = sandbox.runCommand(scriptOf("echo y >> begun", workspace));
    await expect(next).rejects.toMatchObject(codeOf("stopped"));
    const reading = sandbox.readFileToBuffer("begun", filesUnder(workspace));
    await expect(reading).rejects.toMatchObject(codeOf("stopped"));
    await sandbox.stop();
  });
}
