/** The real Codex works on our exec-server, unchanged: its model is scripted, all else is as shipped. */
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Done, driveCodex, layOut, type Place, WRIT, writEnv } from "./support/drive-codex.ts";
import type { Said } from "./support/scripted-model.ts";

/** Longer than any of these commands takes: the model is told how it ended. */
const TO_THE_END = 30_000;

function sh(cmd: string, more: object = {}): Said {
  const args = { cmd, login: false, yield_time_ms: TO_THE_END, ...more };
  return { kind: "call", name: "exec_command", args };
}

function patch(...lines: readonly string[]): Said {
  const input = ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");
  return { kind: "freeform", name: "apply_patch", input };
}

/** What a command can do, a word each. */
function probe({ outside }: Place, port: number): string {
  const tries = {
    read: "cat /etc/passwd",
    workspace: "touch made",
    temporary: "f=$(mktemp -p /tmp) && rm $f",
    outside: `touch ${outside}/made`,
    git: "touch .git/made",
    network: `exec 3<>/dev/tcp/127.0.0.1/${port}`,
  };
  return Object.entries(tries)
    .map(([name, tried]) => `(${tried}) >/dev/null 2>&1 && echo can-${name}`)
    .join("; ");
}

async function listenOnHost(): Promise<number> {
  const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** What the events of a process say, in the order of arrival. */
function eventsOf({ tap }: Done) {
  return tap.fromServer.filter(({ method }) => method?.startsWith("process/"));
}

function printed(done: Done): Buffer {
  const chunks = eventsOf(done).filter(({ method }) => method === "process/output");
  return Buffer.concat(chunks.map(({ params }) => Buffer.from(String(params?.chunk), "base64")));
}

const count = (list: readonly unknown[]) => Array.from(list, (_, index) => index + 1);

describe("a shell command of the real Codex", () => {
  it.each([
    ["read-only", ["read"]],
    ["workspace-write", ["read", "workspace", "temporary"]],
    ["danger-full-access", ["read", "workspace", "temporary", "outside", "git", "network"]],
  ] as const)("can do under %s exactly this: %s", async (mode, can) => {
    const place = layOut();
    const turns = [[sh(probe(place, await listenOnHost()))]];
    const done = await driveCodex({ mode, place, turns });
    expect(done.status).toBe(0);
    expect(done.outputs[0]?.match(/can-\w+/g)).toEqual(can.map((one) => `can-${one}`));
    const made = (folder: string) => existsSync(path.join(folder, "made"));
    expect(made(place.workspace)).toBe(mode !== "read-only");
    expect(made(place.outside)).toBe(mode === "danger-full-access");
    const isWaived = mode === "danger-full-access";
    expect(done.receipts).toMatchObject([
      {
        enforced: { tier: isWaived ? "none" : "namespaces" },
        waived: isWaived ? { by: "client" } : null,
        intent: isWaived ? null : { permissions: { type: "managed" } },
      },
    ]);
    expect(eventsOf(done).map(({ params }) => params?.seq)).toEqual(count(eventsOf(done)));
  });

  it("is told apart from a plain failure when the sandbox denied it something", async () => {
    const turns = [[sh("echo x > made")], [sh("echo no >&2; exit 7")]];
    const done = await driveCodex({ mode: "read-only", turns });
    expect(done.outputs[0]).toContain("Read-only file system");
    expect(done.outputs[1]).toMatch(/exited with code 7/);
    const exits = eventsOf(done).filter(({ method }) => method === "process/exited");
    expect(exits.map(({ params }) => params)).toMatchObject([
      { exitCode: 1, sandboxDenied: true },
      { exitCode: 7, sandboxDenied: false },
    ]);
    expect(done.receipts).toMatchObject([
      {
        outcome: { kind: "exited", code: 1 },
        denials: { listed: [{ kind: "file", wanted: "write" }] },
      },
      { outcome: { kind: "exited", code: 7 }, denials: { listed: [] } },
    ]);
  });

  it("is refused, and the model told why, where the operator requires a sandbox", async () => {
    const flags = ["--require-sandbox"];
    const turns = [[sh("touch made")]];
    const done = await driveCodex({ mode: "danger-full-access", flags, turns });
    expect(done.outputs[0]).toContain("this executor requires one");
    expect(readdirSync(done.place.workspace)).toEqual([".git"]);
    expect(done.receipts).toMatchObject([{ outcome: { kind: "refused" } }]);
  });

  it("prints three megabytes, all of which arrive", async () => {
    const turns = [[sh("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo END")]];
    const done = await driveCodex({ mode: "workspace-write", turns });
    expect(done.outputs[0]).toContain("END");
    expect(printed(done).equals(Buffer.from(`${"x".repeat(3_000_000)}\nEND\n`))).toBe(true);
  });

  it("talks to its model through a terminal", async () => {
    const answer = (chars: string, yield_time_ms: number) => (outputs: readonly string[]) => {
      const session_id = Number(/session ID (\d+)/.exec(outputs.join("\n"))?.[1]);
      const args = { session_id, chars, yield_time_ms };
      return [{ kind: "call", name: "write_stdin", args } as const];
    };
    const script = "stty size; read name; echo hello $name; read word; echo goodbye $word; exit 3";
    const turns = [
      // What is typed before the terminal was asked for its size would be shown before that.
      [sh(script, { tty: true, yield_time_ms: 5000 })],
      answer("bob\n", 250),
      answer("ann\n", TO_THE_END),
    ];
    const done = await driveCodex({ mode: "workspace-write", turns });
    expect(String(printed(done))).toMatch(/^24 80\r\n.*hello bob\r\n.*goodbye ann\r\n/s);
    expect(eventsOf(done)[0]?.params).toMatchObject({ stream: "pty" });
    expect(done.outputs[2]).toMatch(/exited with code 3/);
  });

  it("runs beside another one: each waits for the other", async () => {
    const meet = (mine: string, other: string) =>
      sh(`touch ${mine}; until [ -e ${other} ]; do sleep 0.01; done; echo met ${other}`);
    const turns = [[meet("a", "b"), meet("b", "a")]];
    const done = await driveCodex({ mode: "workspace-write", turns });
    expect(done.outputs.join()).toMatch(/met b.*met a/s);
  });
});

describe("a patch of the real Codex", () => {
  it("adds, updates, moves and deletes files", async () => {
    const place = layOut();
    writeFileSync(path.join(place.workspace, "hello.txt"), "one\ntwo\nthree\n");
    const turns = [
      [patch("*** Add File: sub/dir/new.txt", "+alpha")],
      [patch("*** Update File: hello.txt", "@@", " one", "-two", "+2", " three")],
      [patch("*** Update File: hello.txt", "*** Move to: moved.txt", "@@", "-one", "+1", " 2")],
      [sh("cat sub/dir/new.txt moved.txt; ls hello.txt")],
      [patch("*** Delete File: sub/dir/new.txt")],
    ];
    const { outputs } = await driveCodex({ mode: "workspace-write", place, turns });
    expect(outputs[3]).toContain("alpha\n1\n2\nthree\n");
    expect(outputs[3]).toContain("No such file");
    expect(readFileSync(path.join(place.workspace, "moved.txt"), "utf8")).toBe("1\n2\nthree\n");
    expect(readdirSync(path.join(place.workspace, "sub/dir"))).toEqual([]);
  });

  it("cannot leave the workspace through a link", async () => {
    const place = layOut();
    symlinkSync(place.outside, path.join(place.workspace, "way"));
    const turns = [[patch("*** Add File: way/made", "+x")]];
    const { outputs, tap } = await driveCodex({ mode: "workspace-write", place, turns });
    expect(outputs[0]).toContain("Failed to write file");
    const error = { code: -32603, message: "Read-only file system (os error 30)" };
    expect(tap.fromServer).toContainEqual({ id: expect.anything(), error });
    expect(readdirSync(place.outside)).toEqual([]);
  });
});

describe("environments.toml of the real Codex", () => {
  const head = 'default = "box"\ninclude_local = false\n[[environments]]\nid = "box"\n';

  it("names our server by its address and a token", async () => {
    const place = layOut();
    const token = path.join(place.home, "token");
    writeFileSync(token, "a-token-that-nobody-guesses\n", { mode: 0o600 });
    const done = await driveCodex({
      mode: "workspace-write",
      place,
      flags: ["--ws-auth", "capability-token", "--ws-token-file", token],
      environments: (url) =>
        `${head}url = "${url}"\nauth_bearer_token = "a-token-that-nobody-guesses"\n`,
      turns: [[sh("echo $((6 * 7)) > answer; cat answer")]],
    });
    expect(done.outputs[0]).toContain("42\n");
    expect(done.receipts).toMatchObject([{ enforced: { tier: "namespaces" } }]);
  });

  it("names our server as a program that it talks to over pipes", async () => {
    const args = JSON.stringify(["exec-server", "--listen", "stdio"]);
    const done = await driveCodex({
      mode: "workspace-write",
      environments: (_, place) =>
        `${head}program = "${WRIT}"\nargs = ${args}\ncwd = "${place.workspace}"\n[environments.env]\n${variables(place)}`,
      turns: [[sh("echo $((6 * 7)) > answer; cat answer; touch ../outside/made")]],
    });
    expect(done.outputs[0]).toContain("42\n");
    expect(done.outputs[0]).toContain("Read-only file system");
    expect(done.receipts).toMatchObject([{ enforced: { tier: "namespaces" } }]);
    expect(done.tap.connections()).toBe(0);
  });

  const variables = (place: Place) =>
    Object.entries(writEnv(place))
      .map(([name, value]) => `${name} = "${value}"\n`)
      .join("");
});

describe("a connection of the real Codex that is cut", () => {
  it("loses nothing, and nothing is run twice", async () => {
    const place = layOut();
    const enough = path.join(place.outside, "enough");
    const script = `while i=$((i + 1)); do echo line-$i-end; echo $i >> ran; sleep 0.01; [ -e ${enough} ] && exit 9; done`;
    const cuts = { times: 3, after: 12, lost: 8, over: () => writeFileSync(enough, "") };
    const done = await driveCodex({ mode: "workspace-write", place, turns: [[sh(script)]], cuts });
    const ran = readFileSync(path.join(place.workspace, "ran"), "utf8").trimEnd().split("\n");
    expect(ran).toEqual(ran.map((_, index) => String(index + 1)));
    expect(done.outputs[0]?.match(/line-\d+-end/g)).toEqual(ran.map((one) => `line-${one}-end`));
    expect(done.outputs[0]).toMatch(/exited with code 9/);
    expect(done.tap.connections()).toBeGreaterThan(cuts.times);
    expect(done.receipts).toMatchObject([{ outcome: { kind: "exited", code: 9 } }]);
  });
});
