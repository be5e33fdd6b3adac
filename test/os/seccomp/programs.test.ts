/** What ordinary programs need still works under the strictest filter. */
import { chmodSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { callers, hostFilter, runFiltered } from "./run-filtered.ts";

const filter = hostFilter({ network: "off", unixSockets: "none" });

const NODE = `
  const { execFileSync, spawn } = require("node:child_process");
  const { lookup } = require("node:dns/promises");
  const { once } = require("node:events");
  const http = require("node:http");
  const { writeFileSync, readFileSync, watch } = require("node:fs");
  const os = require("node:os");
  const { Worker } = require("node:worker_threads");

  async function main() {
    const worker = new Worker("require('worker_threads').parentPort.postMessage(6 * 7)", { eval: true });
    const [thread] = await once(worker, "message");

    const server = http.createServer((_, response) => response.end("pong")).listen(0, "127.0.0.1");
    await once(server, "listening");
    const response = await fetch("http://127.0.0.1:" + server.address().port);
    const loopback = await response.text();
    server.closeAllConnections();
    server.close();

    const child = spawn("cat", { stdio: ["pipe", "pipe", "inherit", "ipc"] });
    child.stdin.end("through pipes");
    const pipes = (await child.stdout.toArray()).join("");

    writeFileSync("/tmp/file", "on disk");
    watch("/tmp").close();
    process.stdout.write(JSON.stringify({
      thread, loopback, pipes,
      file: readFileSync("/tmp/file", "utf8"),
      shell: execFileSync("sh", ["-c", "echo out | tr a-z A-Z"], { encoding: "utf8" }),
      interfaces: Object.keys(os.networkInterfaces()),
      localhost: (await lookup("localhost", 4)).address,
    }));
  }
  main();
`;

const PERL = `
  use Socket;
  use POSIX;
  for my $type (SOCK_STREAM, SOCK_SEQPACKET) {
    socketpair(my $a, my $b, AF_UNIX, $type, 0) or die "socketpair $type: $!";
    syswrite($a, "hello"); sysread($b, my $got, 5);
    print "pair $got\\n";
  }
  pipe(my $reader, my $writer) or die "pipe: $!";
  if (!fork()) { syswrite($writer, "child"); exit 0 }
  wait; sysread($reader, my $got, 5);
  print "fork $got\\n";
  POSIX::mkfifo("/tmp/fifo", 0600) or die "mkfifo: $!";
  print "fifo ", (-p "/tmp/fifo" ? "yes" : "no"), "\\n";
  socket(my $udp, AF_INET, SOCK_DGRAM, 0) or die "udp: $!";
  socket(my $tcp, AF_INET6, SOCK_STREAM, 0) or die "tcp: $!";
  print "sockets yes\\n";
`;

/** PR_SET_SECCOMP with a filter that allows all. */
const FURTHER_FILTER = `
  my $instructions = pack("SCCL", 6, 0, 0, 0x7fff0000);
  my $program = pack("Sx6P", 1, $instructions);
  syscall(${process.arch === "x64" ? 157 : 167}, 22, 2, $program, 0, 0) == 0 or die "prctl: $!";
  exec "grep", "Seccomp_filters", "/proc/self/status";
`;

describe.each(callers)("under the strictest filter, for %s", (caller) => {
  const bubblewrap = ["--tmpfs", "/tmp"];

  it("Node has threads, children, pipes, files and the loopback", () => {
    const command = [nodeForAll(), "-e", NODE];
    const run = runFiltered({ caller, filter, command, bubblewrap });
    expect(run).toMatchObject({ status: 0, stderr: "" });
    expect(JSON.parse(run.stdout)).toEqual({
      thread: 42,
      loopback: "pong",
      pipes: "through pipes",
      file: "on disk",
      shell: "OUT\n",
      interfaces: ["lo"],
      localhost: "127.0.0.1",
    });
  });

  it("perl has pairs, pipes, forks and internet sockets", () => {
    const run = runFiltered({ caller, filter, command: ["perl", "-e", PERL], bubblewrap });
    expect(run).toEqual({
      status: 0,
      stdout: "pair hello\npair hello\nfork child\nfifo yes\nsockets yes\n",
      stderr: "",
    });
  });

  it("a program may confine itself further", () => {
    const command = ["perl", "-e", FURTHER_FILTER];
    const run = runFiltered({ caller, filter, command, bubblewrap });
    expect(run).toMatchObject({ status: 0, stdout: "Seccomp_filters:\t2\n" });
  });
});

/** The checkout may lie where only its owner can look, so the program is copied to where all can. */
function nodeForAll(): string {
  const folder = mkdtempSync("/var/tmp/writ-node-");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const copy = path.join(folder, "node");
  cpSync(process.execPath, copy);
  chmodSync(folder, 0o755);
  chmodSync(copy, 0o755);
  return copy;
}
