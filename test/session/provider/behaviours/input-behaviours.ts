/** Commands that are typed into: where a provider has no way to, it says so before anything runs. */
import { existsSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { MakeLab, ProviderOptions } from "../provider-contract.ts";
import { outcomeOf, wordsOf } from "../support/sandbox-of.ts";

const codeOf = (code: string) => ({ name: "SessionError", code });

export function inputBehaviours(make: MakeLab, options: ProviderOptions): void {
  const { sandboxOf, scriptOf } = wordsOf(options.intentIn);

  it("starts a process with a terminal, which is typed into and ends with the sandbox", async () => {
    const { provider, workspace, outside } = await make();
    const sandbox = await sandboxOf(provider, workspace);
    const script = `read -r word; echo "got $word"; echo x > ${outside}/x; sleep 600`;
    const { stdin: _, ...request } = scriptOf(script, workspace);
    const terminal = { columns: 80, rows: 24 };
    const process = await sandbox.startProcess({ ...request, envPolicy: null, terminal });
    let printed = "";
    const read = async () => {
      for await (const event of process.events) {
        if (event.kind === "output") printed += Buffer.from(event.chunk).toString();
      }
    };
    const reading = expect(read()).rejects.toMatchObject(codeOf("interrupted"));
    expect(await process.write(Buffer.from("hello\n"))).toBe(true);
    await expect.poll(() => printed).toMatch(/got hello[\s\S]*x: /);
    expect(existsSync(path.join(outside, "x"))).toBe(false);
    await sandbox.stop();
    await reading;
    await process.ended;
  });

  it("takes input where it was asked for", async () => {
    const { provider, workspace } = await make();
    const sandbox = await sandboxOf(provider, workspace);
    const script = "read -r line; echo got $line";
    const piped = await sandbox.runCommand(scriptOf(script, workspace, { stdin: "pipe" }));
    expect(await piped.write(Buffer.from("word\n"))).toBe(true);
    expect(await outcomeOf(piped)).toMatchObject({ stdout: "got word\n" });
    await sandbox.stop();
  });
}

export function noInputBehaviours(make: MakeLab, options: ProviderOptions): void {
  const { sandboxOf, scriptOf } = wordsOf(options.intentIn);

  it("refuses a command that is to be typed into, before it runs", async () => {
    const { provider, workspace } = await make();
    const sandbox = await sandboxOf(provider, workspace);
    const { stdin: _, ...request } = scriptOf("touch ran", workspace);
    const piped = sandbox.runCommand({ ...request, stdin: "pipe" });
    await expect(piped).rejects.toMatchObject(codeOf("unsupported"));
    const typed = sandbox.startProcess({
      ...{ ...request, envPolicy: null, terminal: { columns: 80, rows: 24 } },
    });
    await expect(typed).rejects.toMatchObject(codeOf("unsupported"));
    expect(existsSync(path.join(workspace, "ran"))).toBe(false);
    await sandbox.stop();
  });
}
