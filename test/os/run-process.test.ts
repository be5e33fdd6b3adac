/** What a command can do besides files, tried on the kernel, with a control that must succeed. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { inOneRun, onceFor } from "./support/one-run.ts";
import { placeFor, USERS } from "./support/sandbox-user.ts";

/** A setting of the kernel that root may write outside, and that stays as it is when it is written back. */
const SETTING = "/proc/sys/kernel/printk";

/** All that a command can be asked of itself, or tries without a trace. */
const asked = onceFor((place, mode: "workspace-write") =>
  inOneRun((command) => place.run(["run", "--sandbox", mode, "--", ...command]), {
    status: "grep -E '^(Cap|NoNew|Seccomp:)' /proc/self/status",
    processes: "ls /proc | grep -c '^[0-9]'",
    first: "(exec 3<>/proc/1/mem) 2>/dev/null && echo reached; echo control",
    setting: `(cat ${SETTING} > ${SETTING}) 2>/dev/null && echo wrote; cat ${SETTING} >/dev/null && echo read`,
    namespaces:
      "unshare -U true 2>/dev/null && echo made; unshare -m true 2>/dev/null && echo made; echo control",
    environment: "env",
  }),
);

describe.each(USERS)("writ run as %s", (user) => {
  it("gives the command's own exit status", () => {
    const { sh } = placeFor(user);
    expect(sh("exit 7").status).toBe(7);
    expect(sh("kill -9 $$").status).toBe(137);
  });

  it("leaves the command no capability, no new privilege and a filter", () => {
    const { stdout } = asked(user, "workspace-write").status;
    const facts = Object.fromEntries(
      stdout
        .trim()
        .split("\n")
        .map((line) => line.split(":\t")),
    );
    expect(facts).toMatchObject({
      CapEff: "0".repeat(16),
      CapBnd: "0".repeat(16),
      NoNewPrivs: "1",
      Seccomp: "2",
    });
  });

  it("does not end before what it relays is read, however late", () => {
    const place = placeFor(user);
    // For the receipt its errors are looked at. They are more than a pipe holds, and less than makes anybody wait.
    const command = ["/bin/sh", "-c", "head -c 70000 /dev/zero >&2; echo more >&2"];
    const receipt = path.join(place.outside, "receipt.json");
    const args = ["run", "--sandbox", "workspace-write", "--receipt", receipt, "--", ...command];
    place.give();
    const { workspace: cwd, env } = place;
    const late = '"$@" 2>&1 >/dev/null | { sleep 2; wc -c; }';
    const { stdout } = spawnSync("/bin/sh", ["-c", late, "", ...place.argv(args)], { cwd, env });
    expect(Number(stdout)).toBe(70_005);
  });

  it("shows the command no process but its own", () => {
    const { stdout } = asked(user, "workspace-write").processes;
    expect(Number(stdout)).toBeLessThan(8);
  });

  it("keeps the first process of the sandbox out of the command's reach", () => {
    const { stdout } = asked(user, "workspace-write").first;
    expect(stdout).toBe("control\n");
  });

  it("hands on no file that could be opened again through a descriptor", () => {
    const { argv, workspace, outside, env } = placeFor(user);
    const canary = path.join(outside, "canary");
    const script = "cat; echo pwned > /proc/self/fd/0; : > /proc/self/fd/1";
    const [program = "", ...args] = argv([
      "run",

      "--sandbox",
      "read-only",
      "--",
      "/bin/sh",
      "-c",
      script,
    ]);
    const words = [program, ...args].map((word) => `'${word}'`).join(" ");
    spawnSync(
      "/bin/sh",
      [
        "-c",
        `echo before > ${canary}; echo log > ${canary}.log; chmod 666 ${canary}*; ${words} < ${canary} >> ${canary}.log`,
      ],
      { cwd: workspace, env },
    );
    expect(readFileSync(canary, "utf8")).toBe("before\n");
    expect(readFileSync(`${canary}.log`, "utf8")).toBe("log\nbefore\n");
  });

  it.each(["SIGINT", "SIGTERM"] as const)(
    "leaves nothing behind when it is ended by %s",
    async (signal) => {
      const { argv, workspace, env } = placeFor(user);
      const [program = "", ...args] = argv([
        "run",

        "--sandbox",
        "workspace-write",
        "--",
        "/bin/sh",
        "-c",
        "touch started; sleep 60",
      ]);
      const child = spawn(program, args, { cwd: workspace, env, stdio: "ignore" });
      while (!existsSync(path.join(workspace, "started"))) await sleep(20);
      child.kill(signal);
      await once(child, "exit");
      expect(readdirSync(workspace)).toEqual(["started"]);
    },
  );

  it("keeps the kernel's settings from being written, also for root", () => {
    const { stdout } = asked(user, "workspace-write").setting;
    expect(stdout).toBe("read\n");
  });

  it("makes no namespace that could take the mounts apart", () => {
    const { stdout } = asked(user, "workspace-write").namespaces;
    expect(stdout).toBe("control\n");
  });

  it("reaches no listener of the host with the network off, and its own loopback works", async () => {
    let reached = 0;
    const server = net.createServer((socket) => {
      reached += 1;
      socket.destroy();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as net.AddressInfo;
    const { sh } = placeFor(user);
    const script = `
      use IO::Socket::INET;
      print IO::Socket::INET->new("127.0.0.1:${port}") ? "reached\\n" : "refused\\n";
      my $own = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1") or die;
      print IO::Socket::INET->new("127.0.0.1:" . $own->sockport) ? "own\\n" : "none\\n";`;
    const { stdout } = sh(`perl -e '${script}'`);
    server.close();
    expect(stdout).toBe("refused\nown\n");
    expect(reached).toBe(0);
  });

  it("passes on no descriptor it was started with", async () => {
    const { argv, workspace, env } = placeFor(user);
    const [program = "", ...args] = argv([
      "run",

      "--sandbox",
      "read-only",
      "--",
      "ls",
      "-l",
      "/proc/self/fd",
    ]);
    const stdio = [
      "ignore",
      "pipe",
      "pipe",
      ...Array.from({ length: 20 }, () => "pipe" as const),
    ] as const;
    const child = spawn(program, args, { cwd: workspace, env, stdio: [...stdio] });
    let out = "";
    child.stdout?.on("data", (chunk) => {
      out += String(chunk);
    });
    await once(child, "close");
    const targets = [...out.matchAll(/(\d+) -> (.*)/g)].filter(([, fd]) => Number(fd) > 2);
    expect(targets.length).toBeGreaterThan(0);
    expect(targets.filter(([, , to]) => !/^\/(dev\/null|proc\/)/.test(to ?? ""))).toEqual([]);
  });

  it("sees no secret of the environment it was started from", () => {
    const { stdout } = asked(user, "workspace-write").environment;
    expect(stdout).toContain("PATH=");
    expect(stdout).not.toContain("WRIT_HOME");
  });

  it("takes the command with it when it is killed, and cleans up at the next start", async () => {
    const { argv, workspace, env, sh } = placeFor(user);
    const [program = "", ...args] = argv([
      "run",

      "--sandbox",
      "workspace-write",
      "--",
      "/bin/sh",
      "-c",
      "touch started; sleep 60; touch survived",
    ]);
    const child = spawn(program, args, { cwd: workspace, env, stdio: "ignore" });
    while (!existsSync(path.join(workspace, "started"))) await sleep(20);
    child.kill("SIGKILL");
    await once(child, "exit");
    sh("true");
    expect(readdirSync(workspace)).toEqual(["started"]);
  });

  it("shares placeholders between runs at the same time and removes them after the last", async () => {
    const { argv, workspace, env } = placeFor(user);
    const [program = "", ...args] = argv([
      "run",

      "--sandbox",
      "workspace-write",
      "--",
      "/bin/sh",
      "-c",
      "mkdir .codex/x 2>/dev/null; echo $$ > done-$RANDOM$$",
    ]);
    const runs = Array.from({ length: 8 }, () =>
      spawn(program, args, { cwd: workspace, env, stdio: "ignore" }),
    );
    const codes = await Promise.all(runs.map(async (one) => (await once(one, "close"))[0]));
    expect(codes).toEqual(runs.map(() => 0));
    expect(readdirSync(workspace).filter((name) => name.startsWith("."))).toEqual([]);
  });

  it("ends the command when a mount point is replaced on the host", async () => {
    const { argv, workspace, env } = placeFor(user);
    mkdirSync(path.join(workspace, ".git"));
    const [program = "", ...args] = argv([
      "run",

      "--sandbox",
      "workspace-write",
      "--",
      "/bin/sh",
      "-c",
      "touch started; sleep 60",
    ]);
    const child = spawn(program, args, {
      cwd: workspace,
      env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let err = "";
    child.stderr?.on("data", (chunk) => {
      err += String(chunk);
    });
    while (!existsSync(path.join(workspace, "started"))) await sleep(20);
    const { renameSync } = await import("node:fs");
    renameSync(path.join(workspace, ".git"), path.join(workspace, "moved"));
    await once(child, "close");
    expect(err).toContain("was replaced on the host");
  });
});
