import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  constants,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import net from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { boundSockets, parseBound } from "../../../../src/sandbox/files/sockets/bound-sockets.ts";
import { namesOfProcesses } from "../../../../src/sandbox/files/sockets/names-of-processes.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const TABLE = `Num       RefCount Protocol Flags    Type St Inode Path
00000000e2d7f4d7: 00000002 00000000 00010000 0001 01 22943 /run/a socket
000000001a2b3c4d: 00000003 00000000 00000000 0001 03 22944
000000006ea34f52: 00000002 00000000 00010000 0001 01 22945 private/smtp
00000000d904ebff: 00000002 00000000 00010000 0001 01 22946 @/tmp/.X11-unix/X0
`;

describe("parseBound", () => {
  it("reads names of files, and neither abstract ones nor sockets without a name", () => {
    expect(parseBound(TABLE)).toEqual([
      { name: "/run/a socket", handle: "socket:[22943]" },
      { name: "private/smtp", handle: "socket:[22945]" },
    ]);
  });

  it("reads no end of a connection, which has the name of whoever listens", () => {
    const row = (type: string, inode: number) =>
      `0000000012345678: 00000003 00000000 00000000 ${type} ${inode} /run/a socket\n`;
    const connected = row("0001 03", 22950) + row("0005 03", 22951);
    expect(parseBound(TABLE + connected)).toEqual(parseBound(TABLE));
    expect(parseBound(TABLE + row("0002 03", 22952))).toHaveLength(3);
  });

  it.each([
    ["spreads over two rows", "/tmp/x\ndir/s"],
    ["is not UTF-8", "/tmp/x\uFFFD"],
  ])("refuses a table in which a name %s", (_, name) => {
    const row = `00000000e2d7f4d7: 00000002 00000000 00010000 0001 01 22950 ${name}\n`;
    const refused = expect.objectContaining({ code: "unenforceableRule" });
    expect(() => parseBound(`${TABLE}${row}`)).toThrow(refused);
  });
});

describe("boundSockets", () => {
  it("finds a socket of this process by its path", async () => {
    const file = path.join(temporaryFolder(), "absolute");
    await listen(file);
    expect(boundSockets()).toContain(file);
  });

  it("finds one that was bound to a relative name", async () => {
    const file = path.join(temporaryFolder(), "relative");
    await listen(path.relative(process.cwd(), file));
    expect(boundSockets()).toContain(file);
  });

  it.each([
    ["/proc/self/fd", "/proc/self/fd/"],
    ["/proc/PID/fd", `/proc/${process.pid}/fd/`],
    ["/dev/fd", "/dev/fd/"],
  ])("finds one that was bound through %s", async (_, way) => {
    const folder = temporaryFolder();
    const descriptor = openSync(folder, constants.O_DIRECTORY);
    onTestFinished(() => closeSync(descriptor));
    await listen(`${way}${descriptor}/through`);
    expect(boundSockets()).toContain(path.join(folder, "through"));
  });

  it("finds one that was renamed or linked beside the name it was bound to", async () => {
    const folder = temporaryFolder();
    const at = (name: string) => path.join(folder, name);
    await listen(at("renamed.tmp"));
    renameSync(at("renamed.tmp"), at("renamed"));
    await listen(at("linked.tmp"));
    linkSync(at("linked.tmp"), at("linked"));
    writeFileSync(at("no-socket"), "");
    const found = boundSockets().filter((name) => name.startsWith(folder));
    expect(found.sort()).toEqual([at("linked"), at("linked.tmp"), at("renamed")].sort());
  });
});

describe("namesOfProcesses", () => {
  it("refuses where nobody knows any more through what a socket was bound", async () => {
    const links = () => readdirSync("/proc/self/fd").map(handleOf);
    const before = new Set(links());
    await listen(path.join(temporaryFolder(), "socket"));
    const [handle = ""] = links().filter((one) => one.startsWith("socket:") && !before.has(one));
    const lost = { name: "/proc/self/fd/99999/socket", handle };
    expect(() => namesOfProcesses([lost])).toThrow(
      expect.objectContaining({
        code: "unenforceableRule",
        message: expect.stringContaining('"/proc/self/fd/99999/socket" does not say any more'),
      }),
    );
    expect(namesOfProcesses([{ ...lost, handle: "socket:[0]" }])).toEqual([]);
  });

  it("refuses where one of two that were bound to the same name is lost", async () => {
    const names = [0, 1].map(() => {
      const descriptor = openSync(temporaryFolder(), constants.O_DIRECTORY);
      return { descriptor, name: `/proc/self/fd/${descriptor}/socket` };
    });
    const [lost, found] = names;
    if (lost === undefined || found === undefined) throw new Error("Cannot lay out the test");
    await listen(lost.name);
    closeSync(lost.descriptor);
    expect(openSync(temporaryFolder(), constants.O_DIRECTORY)).toBe(lost.descriptor);
    onTestFinished(() => {
      for (const { descriptor } of names) closeSync(descriptor);
    });
    await listen(lost.name);
    expect(() => boundSockets()).toThrow(`"${lost.name}" does not say any more`);
  });

  it("refuses where a process of the same name was followed, and this one was not", async () => {
    const folder = temporaryFolder();
    const program = `use Socket; use Fcntl; use POSIX ();
      sysopen(my $at, $ARGV[0], O_RDONLY | O_DIRECTORY) or die; POSIX::dup2(fileno($at), 99);
      socket(my $s, AF_UNIX, SOCK_STREAM, 0) or die; bind($s, sockaddr_un("/proc/self/fd/99/s")) or die; listen($s, 1);
      POSIX::close(99) if $ARGV[1] eq "lost"; $| = 1; print "bound\n"; <STDIN>;`;
    const start = async (where: string, kind: string) => {
      mkdirSync(path.join(folder, where));
      const child = spawn("perl", ["-e", program, path.join(folder, where), kind]);
      onTestFinished(() => void child.stdin.end());
      await once(child.stdout, "data");
      return child;
    };
    await start("a", "held");
    expect(boundSockets()).toContain(path.join(folder, "a/s"));
    const lost = await start("b", "lost");
    expect(() => boundSockets()).toThrow('"/proc/self/fd/99/s" does not say any more');
    lost.stdin.end();
    await once(lost, "exit");
    expect(boundSockets()).toContain(path.join(folder, "a/s"));
  });
});

function handleOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return "";
  }
}

async function listen(name: string): Promise<void> {
  const server = net.createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((done) => {
    server.listen(name, done);
  });
}
