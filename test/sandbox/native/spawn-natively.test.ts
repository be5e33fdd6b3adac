import { type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { type Libc, libc, loadLibc } from "../../../src/sandbox/native/libc.ts";
import {
  type NativeStart,
  nativeStartOf,
  spawnNatively,
} from "../../../src/sandbox/native/spawn-natively.ts";
import type { Child } from "../../../src/sandbox/run/child.ts";

const ENV = { PATH: "/usr/bin:/bin" };
let library: Libc;
let folder: string;

beforeAll(async () => {
  await loadLibc();
  const loaded = libc();
  if (loaded === undefined) throw new Error("koffi is not installed");
  library = loaded;
  folder = mkdtempSync(path.join(os.tmpdir(), "writ-native-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function startOf(args: readonly string[], more: Partial<NativeStart> = {}): NativeStart {
  const stdio = ["ignore", "pipe", "pipe"] as const;
  return { program: "/bin/sh", args, cwd: "/", env: ENV, stdio, detached: false, ...more };
}

function begin(args: readonly string[], more: Partial<NativeStart> = {}): Child {
  const child = spawnNatively(library, startOf(args, more));
  if (child === undefined) throw new Error("it was left to Node");
  return child;
}

async function outcomeOf(child: Child) {
  const ended = new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
    child.once("error", ({ code }) => resolve({ error: code }));
  });
  const [stdout] = await Promise.all([text(child.stdio[1] as NodeJS.ReadableStream), ended]);
  return { stdout, ended: await ended };
}

/** The same by Node. */
async function byNode(args: readonly string[], more: Partial<NativeStart> = {}) {
  const { program, cwd, env, stdio, detached } = startOf(args, more);
  const options = { cwd, env, stdio: [...stdio], detached };
  return outcomeOf(spawn(program, args, options) as unknown as Child);
}

describe("spawnNatively", () => {
  it.each<[string, readonly string[], Partial<NativeStart>]>([
    ["words as they are", ["-c", 'printf "%s|" "$@"', "sh", "", "a b", "é\n", "$(id)", "'"], {}],
    ["variables", ["-c", "env | sort"], { env: { ...ENV, A: "", B: "x=y\nz", "a.b": "1" } }],
    ["no variables", ["-c", "env | sort"], { env: {} }],
    ["the folder", ["-c", "pwd"], { cwd: "/usr" }],
    ["an exit code", ["-c", "exit 7"], {}],
    ["a signal", ["-c", "kill -TERM $$"], {}],
    ["no signal ignored or blocked", ["-c", "grep -E '^Sig(Blk|Ign)' /proc/self/status"], {}],
    ["a missing program", [], { program: "/no/such" }],
    ["a program that is none", [], { program: "/etc/passwd" }],
    ["a missing folder", ["-c", "pwd"], { cwd: "/no/such" }],
  ])("gives a child %s, as Node does", async (_, args, more) => {
    expect(await outcomeOf(begin(args, more))).toEqual(await byNode(args, more));
  });

  it("gives a child standard streams that wait, whatever ours do", async () => {
    const { O_RDWR, O_NONBLOCK } = constants;
    const fd = openSync("/dev/null", O_RDWR | O_NONBLOCK);
    const child = begin(["-c", "cat /proc/self/fdinfo/0"], { stdio: [fd, "pipe", "ignore"] });
    closeSync(fd);
    const { stdout } = await outcomeOf(child);
    expect(Number.parseInt(/flags:\s*(\d+)/.exec(stdout)?.[1] ?? "", 8) & O_NONBLOCK).toBe(0);
  });

  it("hands on descriptors under the number of their place, also where numbers are crossed", async () => {
    const files = ["one", "two"].map((name) => {
      writeFileSync(path.join(folder, name), name);
      return openSync(path.join(folder, name), "r");
    });
    const stdio = ["ignore", "pipe", "ignore", ...files.toReversed()] as const;
    const words = ["-c", "cat /proc/self/fd/3 /proc/self/fd/4; ls /proc/self/fd"];
    const child = begin(words, { stdio });
    for (const fd of files) closeSync(fd);
    expect((await outcomeOf(child)).stdout).toBe("twoone0\n1\n2\n3\n4\n5\n");
  });

  it("leaves a child nothing else that is open here, be it marked to close or not", async () => {
    const before = begin(["-c", "exec sleep 60"], {
      stdio: ["ignore", "ignore", "ignore", "pipe"],
    });
    const { stdout } = await outcomeOf(begin(["-c", "ls /proc/self/fd"]));
    before.kill("SIGKILL");
    expect(stdout).toBe("0\n1\n2\n3\n");
  });

  it("gives a pipe that can be read and written behind the first three", async () => {
    const child = begin(["-c", "read -r line <&3; echo got $line"], {
      stdio: ["ignore", "pipe", "ignore", "pipe"],
    });
    (child.stdio[3] as NodeJS.WritableStream).end("it\n");
    expect((await outcomeOf(child)).stdout).toBe("got it\n");
  });

  it("makes a session of its own where that is asked for", async () => {
    const words = ["-c", 'read -r _ _ _ _ _ session _ </proc/self/stat; test "$session" = $$'];
    const alone = await outcomeOf(begin(words, { detached: true }));
    const along = await outcomeOf(begin(words));
    expect([alone.ended, along.ended]).toEqual([
      { code: 0, signal: null },
      { code: 1, signal: null },
    ]);
  });

  it("signals a child that lives, and nobody when it is over", async () => {
    const child = begin(["-c", "echo up; exec sleep 60"]);
    const out = child.stdio[1] as NodeJS.ReadableStream;
    await once(out, "data");
    expect(child.kill("SIGINT")).toBe(true);
    const [, signal] = await once(child as never, "exit");
    expect([signal, child.signalCode, child.exitCode, child.kill()]).toEqual([
      "SIGINT",
      "SIGINT",
      null,
      false,
    ]);
  });

  it("leaves a script without a first line to Node, which gives it to a shell", () => {
    const script = path.join(folder, "plain");
    writeFileSync(script, "exit 3\n");
    chmodSync(script, 0o755);
    expect(spawnNatively(library, startOf([], { program: script }))).toBeUndefined();
  });

  it("stops to listen for children when none is left", async () => {
    const before = process.listenerCount("SIGCHLD");
    await outcomeOf(begin(["-c", ":"]));
    expect(process.listenerCount("SIGCHLD")).toBe(before);
  });

  it("collects a hundred children that end at once", async () => {
    const all = Array.from({ length: 100 }, (_, code) => begin(["-c", `exit ${code}`]));
    const ended = await Promise.all(all.map(outcomeOf));
    expect(ended.map(({ ended: one }) => one)).toEqual(
      all.map((_, code) => ({ code, signal: null })),
    );
    expect(spawnSync("/bin/true").status).toBe(0);
  });

  it("leaves no descriptor behind, started or not", async () => {
    const count = () =>
      spawnSync("ls", [`/proc/${process.pid}/fd`])
        .stdout.toString()
        .split("\n").length;
    const before = count();
    for (let round = 0; round < 40; round += 1) {
      const child = begin(["-c", ":"], { program: round % 2 === 0 ? "/bin/sh" : "/no/such" });
      await outcomeOf(child);
      for (const stream of child.stdio) stream?.destroy();
    }
    // Others in this process open and close some as well, and streams take a moment.
    await expect.poll(() => count() - before).toBeLessThan(15);
  });

  it("is told of the end of a child at once, also of one that was quicker than us", async () => {
    const stdio = ["ignore", "pipe", "pipe", "pipe", "pipe"] as const;
    // The look that comes every second and finds one that was missed never comes.
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    for (let round = 0; round < 200; round += 1) {
      const { ended } = await outcomeOf(begin([], { program: "/bin/true", stdio }));
      expect(ended).toEqual({ code: 0, signal: null });
    }
  });
});

describe("nativeStartOf", () => {
  const plain: SpawnOptions = { cwd: "/", env: ENV, stdio: ["ignore", 1, "pipe"] };

  it("takes a start with a whole path, a folder, variables and known descriptors", () => {
    expect(nativeStartOf("/bin/true", [], plain)).toMatchObject({ program: "/bin/true" });
  });

  it.each([
    ["a program that has to be looked for", "true", [], plain],
    ["a word with a NUL in it", "/bin/true", ["a\0b"], plain],
    ["a variable with a NUL in it", "/bin/true", [], { ...plain, env: { A: "a\0b" } }],
    ["a folder with a NUL in it", "/bin/true", [], { ...plain, cwd: "/\0tmp" }],
    ["streams of this process", "/bin/true", [], { ...plain, stdio: "inherit" }],
    ["one stream of this process", "/bin/true", [], { ...plain, stdio: ["inherit"] }],
    ["the variables of this process", "/bin/true", [], { cwd: "/", stdio: [] }],
  ] as const)("leaves %s to Node", (_, program, args, options) => {
    expect(nativeStartOf(program, args, options as never)).toBeUndefined();
  });
});
