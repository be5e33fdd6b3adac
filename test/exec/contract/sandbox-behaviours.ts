/** What an intent means to a command, wherever it runs. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { SandboxIntent } from "../../../src/exec/index.ts";
import { uriOfNative } from "../../../src/policy/index.ts";
import type { ContractOptions, MakeExecutor } from "./executor-contract.ts";
import { collected } from "./support/collected.ts";
import { contractPlace, intentOf, requestOf } from "./support/contract-place.ts";

export function sandboxBehaviours(make: MakeExecutor, { receipts }: ContractOptions): void {
  it("lets a command read and not write under read-only", async () => {
    const executor = await make();
    const place = contractPlace();
    writeFileSync(path.join(place.workspace, "file"), "text");
    const sandbox = intentOf("read-only", place);
    const process = await executor.start(requestOf("cat file; touch new", place, { sandbox }));
    const { stdout, exit } = await collected(process);
    expect(stdout).toBe("text");
    expect(exit).toMatchObject({ sandboxDenied: true });
    expect(exit.exitCode).not.toBe(0);
    expect(process.sandboxType).not.toBe("none");
    expect(existsSync(path.join(place.workspace, "new"))).toBe(false);
  });

  it("lets a command write its workspace and nothing beside it", async () => {
    const executor = await make();
    const place = contractPlace();
    mkdirSync(path.join(place.workspace, ".git"));
    const sandbox = intentOf("workspace-write", place);
    const script = "echo in > inside; echo out > ../outside/file; echo git > .git/config; exit 0";
    const { exit } = await collected(await executor.start(requestOf(script, place, { sandbox })));
    expect(exit).toEqual({ exitCode: 0, sandboxDenied: false });
    expect(readFileSync(path.join(place.workspace, "inside"), "utf8")).toBe("in\n");
    expect(existsSync(path.join(place.outside, "file"))).toBe(false);
    expect(existsSync(path.join(place.workspace, ".git/config"))).toBe(false);
  });

  it("does not take a plain failure for a denial", async () => {
    const executor = await make();
    const place = contractPlace();
    const sandbox = intentOf("read-only", place);
    const { exit } = await collected(
      await executor.start(requestOf("echo plain; exit 7", place, { sandbox })),
    );
    expect(exit).toEqual({ exitCode: 7, sandboxDenied: false });
  });

  it("binds the workspace to the roots that are sent, and to nothing else", async () => {
    const executor = await make();
    const place = contractPlace();
    const others = ["one", "two"].map((name) => path.join(place.outside, name));
    for (const folder of others) mkdirSync(folder);
    const sandbox = withRoots(intentOf("workspace-write", place), others);
    const script = `touch ${others.map((folder) => `${folder}/file`).join(" ")}; touch here; exit 0`;
    await collected(await executor.start(requestOf(script, place, { sandbox })));
    expect(others.map((folder) => existsSync(path.join(folder, "file")))).toEqual([true, true]);
    expect(existsSync(path.join(place.workspace, "here"))).toBe(false);
  });

  it("keeps a command without the network", async () => {
    const executor = await make();
    const place = contractPlace();
    const sandbox = intentOf("workspace-write", place);
    const script = "ls /sys/class/net 2>/dev/null; tail -n +3 /proc/net/dev | cut -d: -f1";
    const { stdout } = await collected(await executor.start(requestOf(script, place, { sandbox })));
    expect(stdout.trim().split(/\s+/).at(-1)).toBe("lo");
  });

  it("refuses a path of another system before anything runs", async () => {
    const executor = await make();
    const place = contractPlace();
    const sandbox = withRoots(intentOf("workspace-write", place), []);
    if (sandbox.kind !== "enforce") throw new Error("Cannot be");
    const foreign = {
      ...sandbox,
      context: { ...sandbox.context, cwd: uriOfNative("C:\\work"), workspaceRoots: [] },
    };
    const request = requestOf("touch ran", place, { sandbox: foreign });
    await expect(executor.start(request)).rejects.toMatchObject({ code: "invalidRequest" });
    expect(existsSync(path.join(place.workspace, "ran"))).toBe(false);
  });

  it("runs a command without a sandbox when that is what is said", async () => {
    const executor = await make();
    const place = contractPlace();
    const process = await executor.start(requestOf("echo out > ../outside/file", place));
    expect((await collected(process)).exit.exitCode).toBe(0);
    expect(process.sandboxType).toBe("none");
    expect(readFileSync(path.join(place.outside, "file"), "utf8")).toBe("out\n");
  });

  it(
    receipts ? "says in the receipt what was enforced" : "enforces without a receipt",
    async () => {
      const executor = await make();
      const place = contractPlace();
      const sandbox = intentOf("workspace-write", place);
      const ids = { thread: "018f6d0e-0000-7000-8000-000000000001", toolCall: "call-1" };
      const process = await executor.start(requestOf("true", place, { sandbox, ids }));
      await collected(process);
      const receipt = await process.receipt;
      if (!receipts) expect(receipt).toBeUndefined();
      else {
        expect(receipt).toMatchObject({
          waived: null,
          enforced: { tier: "namespaces", network: "private" },
          ids: { thread: ids.thread, toolCall: ids.toolCall },
        });
      }
    },
  );
}

function withRoots(intent: SandboxIntent, roots: readonly string[]): SandboxIntent {
  if (intent.kind === "waived") return intent;
  return { ...intent, context: { ...intent.context, workspaceRoots: roots.map(uriOfNative) } };
}
