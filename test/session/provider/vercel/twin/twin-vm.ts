/** One VM of the twin: a folder, and processes of this machine. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import path from "node:path";
import { z } from "zod";
import { refuse, reply, type TwinRequest } from "./twin-request.ts";

const Made = z.object({
  name: z.string(),
  timeout: z.number(),
  tags: z.record(z.string(), z.string()),
  networkPolicy: z.json(),
  persistent: z.boolean(),
});
const Command = z.object({
  command: z.string(),
  args: z.array(z.string()),
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
  sudo: z.boolean(),
  wait: z.literal(true),
  logs: z.literal(true),
});

type Status = "running" | "stopping" | "snapshotting" | "stopped";

interface Ran {
  readonly id: string;
  readonly child: ChildProcess;
  readonly over: Promise<void>;
  exitCode: number | null;
}

/** An ordinary user, as in the VMs of the service. */
const IDS = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

export class TwinVm {
  readonly name: string;
  readonly sessionId = `sess_${randomUUID().replaceAll("-", "")}`;
  readonly made: z.infer<typeof Made>;
  readonly cwd: string;
  readonly createdAt = Date.now();
  readonly ran: Ran[] = [];
  status: Status = "running";
  timeout: number;
  firewall: unknown;

  constructor(body: unknown, cwd: string) {
    this.made = Made.parse(body);
    this.name = this.made.name;
    this.timeout = this.made.timeout;
    this.firewall = this.made.networkPolicy;
    this.cwd = cwd;
  }

  /** What every command has; its folder for temporary files goes with the workspace. */
  get #variables() {
    return { PATH: "/usr/bin:/bin", TMPDIR: path.join(path.dirname(this.cwd), "tmp") };
  }

  get described() {
    const { name, createdAt, status, cwd, timeout } = this;
    const times = { createdAt, updatedAt: createdAt };
    const session = {
      ...{ id: this.sessionId, memory: 2048, vcpus: 1, region: "here", status, cwd, timeout },
      ...{ ...times, requestedAt: createdAt, startedAt: createdAt, networkPolicy: this.#told },
    };
    const { persistent, tags } = this.made;
    const sandbox = { name, persistent, tags, currentSessionId: this.sessionId, status, ...times };
    return { sandbox, session };
  }

  /** As the service answers: in older words than it is asked in. */
  get #told() {
    const { mode, allow } = z
      .object({ mode: z.string().optional(), allow: z.array(z.string()).optional() })
      .parse(this.firewall);
    return mode === undefined ? { mode: "custom", allowedDomains: allow } : { mode };
  }

  /** Ends it with all that runs in it, without a word to anybody; settles when nothing is left. */
  async end(): Promise<void> {
    this.status = "stopped";
    // The number of one that is over may be somebody else's by now.
    for (const one of this.ran) if (one.exitCode === null) killGroup(one.child);
    await Promise.all(this.ran.map(({ over }) => over));
  }

  async answer(route: string, request: TwinRequest, response: ServerResponse): Promise<void> {
    if (this.status === "stopped") return refuse(response, 410, "sandbox_stopped");
    if (this.status !== "running") return refuse(response, 422, `sandbox_${this.status}`);
    const body = (): unknown => JSON.parse(String(request.bytes));
    const [, kind = "", id = "", verb] = route.split("/");
    if (route === "/cmd") return this.#run(Command.parse(body()), response);
    if (kind === "cmd") return this.#command(id, verb, response);
    if (route === "/fs/write") return this.#unpack(request.bytes, response);
    if (route === "/fs/read") return this.#read(body(), response);
    if (route === "/network-policy") this.firewall = body();
    if (route === "/extend-timeout") {
      this.timeout += z.object({ duration: z.number() }).parse(body()).duration;
    }
    if (route === "/stop") await this.end();
    reply(response, { session: this.described.session });
  }

  #run({ command, args, cwd, env }: z.infer<typeof Command>, response: ServerResponse): void {
    const child = spawn(command, args, {
      ...{ cwd, env: { ...this.#variables, ...env }, detached: true, ...IDS },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const over = Promise.withResolvers<void>();
    const one: Ran = { id: `cmd_${randomUUID()}`, child, over: over.promise, exitCode: null };
    this.ran.push(one);
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    const say = (line: object) => void response.write(`${JSON.stringify(line)}\n`);
    say({ command: this.#described(one) });
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream].setEncoding("utf8").on("data", (data) => say({ stream, data }));
    }
    child.on("error", () => {});
    child.on("close", (code, signal) => {
      const exitCode = code ?? (signal === "SIGKILL" ? 137 : 143);
      one.exitCode = exitCode < 0 ? 127 : exitCode;
      if (this.status === "running") say({ command: this.#described(one) });
      else say({ stream: "error", data: { code: "sandbox_stopped", message: "over" } });
      response.end();
      over.resolve();
    });
  }

  #command(id: string, verb: string | undefined, response: ServerResponse): void {
    const one = this.ran.find((ran) => ran.id === id);
    // Only the process itself: what the service does with the rest is not written down.
    if (verb === "kill") one?.child.kill("SIGKILL");
    if (one === undefined) refuse(response, 404, "not_found");
    else reply(response, { command: this.#described(one) });
  }

  #described({ id, exitCode }: Ran) {
    const { sessionId, cwd } = this;
    return { id, name: "command", args: [], cwd, sessionId, exitCode, startedAt: Date.now() };
  }

  #unpack(bytes: Buffer, response: ServerResponse): void {
    const { status } = spawnSync("tar", ["-xzf", "-", "-C", "/"], { input: bytes, ...IDS });
    if (status === 0) reply(response, {});
    else refuse(response, 400, "bad_request");
  }

  #read(body: unknown, response: ServerResponse): void {
    const { path: file } = z.object({ path: z.string() }).parse(body);
    const { status, stdout } = spawnSync("cat", ["--", file], { ...IDS, maxBuffer: 1 << 26 });
    if (status === 0) {
      response.writeHead(200, { "content-type": "application/octet-stream" });
      response.end(stdout);
    } else refuse(response, 404, "not_found");
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It is over.
  }
}
