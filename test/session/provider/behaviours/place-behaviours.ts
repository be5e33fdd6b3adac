/** Sandboxes that are places of their own: a home, a tmp, a loopback. */
import { existsSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { MakeLab, ProviderOptions } from "../provider-contract.ts";
import { outcomeOf, wordsOf } from "../support/sandbox-of.ts";

export function placeBehaviours(make: MakeLab, options: ProviderOptions): void {
  const { filesUnder, intentIn, sandboxOf, scriptOf } = wordsOf(options.intentIn);

  it("holds a command to its own intent, where that is narrower", async () => {
    const { provider, workspace } = await make();
    const sandbox = await sandboxOf(provider, workspace);
    const intent = intentIn(workspace, "read-only");
    const command = await sandbox.runCommand(scriptOf("touch file", workspace, { intent }));
    expect((await outcomeOf(command)).exitCode).not.toBe(0);
    expect(existsSync(path.join(workspace, "file"))).toBe(false);
    await sandbox.stop();
  });

  it("gives commands a home and a tmp that last as long as the sandbox and are nobody else's", async () => {
    const { provider, workspace } = await make();
    const [one, other] = await Promise.all([
      sandboxOf(provider, workspace),
      sandboxOf(provider, workspace, "thread-2"),
    ]);
    const say = async (sandbox: typeof one, script: string) =>
      (await outcomeOf(await sandbox.runCommand(scriptOf(script, workspace)))).stdout;
    const [home] = (await say(one, "echo $HOME; echo h > $HOME/h; echo t > $TMPDIR/t")).split("\n");
    expect(await say(one, "cat $HOME/h $TMPDIR/t")).toBe("h\nt\n");
    expect(await say(other, `cat ${home}/h $HOME/h $TMPDIR/t; echo over`)).toBe("over\n");
    expect(existsSync(home ?? "")).toBe(true);
    await Promise.all([one.stop(), other.stop()]);
    expect(existsSync(home ?? "")).toBe(false);
  });

  it("finds by absolute paths in its home and tmp what its commands find, and nobody else's", async () => {
    const { provider, workspace } = await make();
    const [one, other] = await Promise.all([
      sandboxOf(provider, workspace),
      sandboxOf(provider, workspace, "thread-2"),
    ]);
    const under = filesUnder(workspace);
    const say = async (script: string) =>
      (await outcomeOf(await one.runCommand(scriptOf(script, workspace)))).stdout.trim();
    for (const folder of [await say("echo $HOME"), await say("echo $TMPDIR")]) {
      const file = path.join(folder, "new/file");
      await one.writeFiles([{ path: file, content: Buffer.from("kept"), mode: 0o600 }], under);
      expect(await say(`cat ${file}; mv ${file} ${folder}/moved`)).toBe("kept");
      expect(String(await one.readFileToBuffer(path.join(folder, "moved"), under))).toBe("kept");
      await one.mkDir(path.join(folder, "made"), under);
      // What covers protected names stays for a moment after a command.
      await expect
        .poll(() => one.listDir(folder, under))
        .toEqual([
          { name: "made", kind: "folder" },
          { name: "moved", kind: "file" },
          { name: "new", kind: "folder" },
        ]);
      expect(await other.readFileToBuffer(path.join(folder, "moved"), under)).toBe(null);
      await expect(other.mkDir(path.join(folder, "x"), under)).rejects.toThrow();
    }
    await Promise.all([one.stop(), other.stop()]);
  });

  it("lets one command answer the next over the loopback, and nobody else", async () => {
    const { provider, workspace } = await make();
    const [one, other] = await Promise.all([
      sandboxOf(provider, workspace),
      sandboxOf(provider, workspace, "thread-2"),
    ]);
    const server = await one.runCommand(scriptOf(`perl -e '${SERVE}'`, workspace));
    const reading = outcomeOf(server).catch(() => {});
    await expect.poll(() => existsSync(path.join(workspace, "listens"))).toBe(true);
    const ask = async (sandbox: typeof one) =>
      (await outcomeOf(await sandbox.runCommand(scriptOf(`perl -e '${ASK}'`, workspace)))).stdout;
    expect(await ask(one)).toBe("answer\n");
    expect(await ask(other)).toBe("nobody\n");
    await Promise.all([one.stop(), other.stop()]);
    await reading;
  });
}

const SERVE = `use IO::Socket::INET;
my $s = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1", LocalPort => 8765) or die $@;
open(my $f, ">", "listens"); close $f;
while (my $c = $s->accept) { print $c "answer\\n"; close $c }`;

const ASK = `use IO::Socket::INET;
my $c = IO::Socket::INET->new("127.0.0.1:8765"); print $c ? <$c> : "nobody\\n"`;
