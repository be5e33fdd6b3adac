/** A thread's session on a real sandbox, through the tools that a model has. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Executor, ReceiptStore } from "../../../src/exec/index.ts";
import { uriOfNative } from "../../../src/policy/index.ts";
import {
  createLocalProvider,
  type SessionEvent,
  ThreadSession,
} from "../../../src/session/index.ts";
import { contractPlace } from "../../exec/contract/support/contract-place.ts";
import { localExecutor } from "../../exec/contract/support/our-executors.ts";
import { intentIn, NEVER } from "../../session/provider/support/sandbox-of.ts";

interface Lab {
  readonly session: ThreadSession;
  readonly executor: Executor;
  readonly receipts: ReceiptStore;
  readonly workspace: string;
  readonly events: SessionEvent[];
  tool(
    tool: string,
    input: object,
  ): Promise<{ value: Record<string, unknown>; notice: string | null }>;
}

function aSession(onReference: (id: string | null) => void = () => {}): Lab {
  const { workspace } = contractPlace();
  const { executor, receipts } = localExecutor();
  const events: SessionEvent[] = [];
  const session = new ThreadSession({
    provider: createLocalProvider({ executor }),
    thread: "thread-1",
    workspace: uriOfNative(workspace),
    intent: intentIn(workspace),
    remembered: undefined,
    onReference: async (kept) => onReference(kept?.reference.id ?? null),
    onEvent: (event) => void events.push(event),
  });
  onTestFinished(() => session.dispose());
  const tool: Lab["tool"] = async (name, input) => {
    const { value, notice } = await session.tools.execute({ tool: name, input, signal: NEVER });
    return { value: { ...value }, notice };
  };
  return { session, executor, receipts, workspace, events, tool };
}

const anchorsOf = async ({ anchors }: Executor) => (await anchors?.list()) ?? [];

describe("a thread's session on a real sandbox", () => {
  it("case 1: boots nothing until a tool asks, and leaves nothing behind", async () => {
    const { session, executor, receipts, tool } = aSession();
    expect(await anchorsOf(executor)).toEqual([]);
    await tool("bash", { command: "true" });
    const [anchor] = await anchorsOf(executor);
    const home = new URL(anchor?.home ?? "file:///").pathname;
    expect(existsSync(home)).toBe(true);
    const [{ ids } = { ids: {} }] = receipts.list({ thread: "thread-1" });
    expect(ids).toMatchObject({ session: anchor?.anchorId });
    await session.dispose();
    expect(await anchorsOf(executor)).toEqual([]);
    expect(existsSync(home)).toBe(false);
  });

  it("cases 19, 20: boots once for many calls, and files are those of the workspace", async () => {
    const { tool, workspace, events } = aSession();
    await Promise.all([1, 2, 3].map((n) => tool("bash", { command: `echo ${n} > file-${n}` })));
    await tool("writeFile", { path: "a/b.txt", content: "one\ntwo\n" });
    await tool("editFile", { path: "a/b.txt", edits: [{ oldText: "two", newText: "three" }] });
    expect(readFileSync(path.join(workspace, "a/b.txt"), "utf8")).toBe("one\nthree\n");
    expect((await tool("bash", { command: "cat a/b.txt file-2" })).value).toMatchObject({
      stdout: "one\nthree\n2\n",
    });
    expect(events.filter(({ kind }) => kind === "acquired")).toHaveLength(1);
    expect(readdirSync(workspace).filter((name) => name.startsWith(".writ-"))).toEqual([]);
  });

  it("reads, lists and edits the home of the sandbox by the paths that its commands print", async () => {
    const { tool } = aSession();
    const { value } = await tool("bash", { command: "echo one > $HOME/f; echo $HOME" });
    const home = String(value.stdout).trim();
    expect(home).toMatch(/^\//);
    expect((await tool("readFile", { path: `${home}/f` })).value).toMatchObject({
      content: expect.stringContaining("one"),
    });
    await tool("editFile", {
      path: `${home}/f`,
      edits: [{ oldText: "one", newText: "two" }],
    });
    expect((await tool("bash", { command: "cat ~/f" })).value).toMatchObject({ stdout: "two\n" });
    expect(JSON.stringify((await tool("listDir", { path: home })).value)).toContain('"f"');
  });

  it("cases 21, 35: never runs a command twice, and says once that the sandbox is a new one", async () => {
    const kept: (string | null)[] = [];
    const { session, executor, tool, workspace } = aSession((id) => kept.push(id));
    await tool("bash", { command: "echo lost > $HOME/file" });
    const dying = tool("bash", { command: "echo x >> began; sleep 60" }).catch(
      (error: unknown) => error,
    );
    // A shell makes the file before it writes to it.
    const began = path.join(workspace, "began");
    await expect.poll(() => existsSync(began) && readFileSync(began, "utf8")).toBe("x\n");
    const [anchor] = await anchorsOf(executor);
    await executor.anchors?.close(anchor?.anchorId ?? "");
    expect(await dying).toMatchObject({ name: "SessionError", code: "interrupted" });
    const next = await tool("bash", { command: "cat began; cat $HOME/file" });
    expect(next.value).toMatchObject({ stdout: "x\n" });
    expect(next.notice).toContain("new one");
    expect((await tool("bash", { command: "true" })).notice).toBe(null);
    expect(session.generation).toBe(2);
    expect(new Set(kept).size).toBeGreaterThanOrEqual(2);
  });

  it("keeps what runs in the background reachable for later calls, and not for the host", async () => {
    const { session, tool, workspace } = aSession();
    const command = `perl -e 'use IO::Socket::INET;
      my $s = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1", LocalPort => 8799) or die;
      open(my $f, ">", "listens"); close $f;
      while (my $c = $s->accept) { print $c "answer\\n"; close $c }'`;
    const argv = ["/bin/sh", "-c", command] as const;
    await session.startBackground({ name: "server", argv, by: "bash", signal: NEVER });
    await expect.poll(() => existsSync(path.join(workspace, "listens"))).toBe(true);
    const ask = `perl -e 'use IO::Socket::INET;
      my $c = IO::Socket::INET->new("127.0.0.1:8799"); print $c ? <$c> : "nobody\\n"'`;
    expect((await tool("bash", { command: ask })).value).toMatchObject({ stdout: "answer\n" });
    expect(execFileSync("/bin/sh", ["-c", ask], { encoding: "utf8" })).toBe("nobody\n");
    await session.killBackground("server");
    expect((await tool("bash", { command: ask })).value).toMatchObject({ stdout: "nobody\n" });
  });

  it("runs a narrower turn in the same sandbox, and a wider one in another", async () => {
    const { session, tool, workspace } = aSession();
    await tool("bash", { command: "true" });
    session.useIntent(intentIn(workspace, "read-only"));
    expect((await tool("bash", { command: "touch no" })).value).not.toMatchObject({ exitCode: 0 });
    expect([session.generation, existsSync(path.join(workspace, "no"))]).toEqual([1, false]);
    session.useIntent(intentIn(workspace, "danger-full-access"));
    await tool("bash", { command: "true" });
    expect(session.generation).toBe(2);
  });
});
