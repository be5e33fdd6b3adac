/** The real `writ app-server` and a workspace for it, for as long as the tests of one file run. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { afterAll } from "vitest";
import { LAB } from "./codex.ts";
import { type Place, WRIT, writEnv } from "./drive-codex.ts";

export class AppHost {
  readonly place: Place;
  #server: ChildProcess | undefined;

  /** Lays the workspace out; call it where a file of tests begins. */
  constructor() {
    mkdirSync(LAB, { recursive: true });
    const folder = mkdtempSync(path.join(realpathSync(LAB), "app-"));
    const [home, workspace, outside] = ["home", "ws", "outside"].map((name) =>
      path.join(folder, name),
    );
    if (!home || !workspace || !outside) throw new Error("Cannot lay out the tests");
    for (const one of [home, workspace, outside]) mkdirSync(one);
    this.place = { home, workspace, outside };
    afterAll(async () => {
      await this.stop();
      rmSync(folder, { recursive: true, force: true });
    });
  }

  /** Starts the server and tells where it listens. */
  async listen(address = "ws://127.0.0.1:0"): Promise<string> {
    const server = spawn(WRIT, ["app-server", "--listen", address], {
      cwd: this.place.workspace,
      env: writEnv(this.place),
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#server = server;
    const said: string[] = [];
    // The lines after the address are read as well: nothing may block the server.
    const lines = createInterface({ input: server.stderr });
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    lines.on("line", (line) => {
      said.push(line);
      const [, url] = /listening on: (\S+)/.exec(line) ?? [];
      if (url !== undefined) resolve(url);
    });
    lines.on("close", () => reject(new Error(`The server ended: ${said.join("\n")}`)));
    return promise;
  }

  /** Ends the server and waits for it; what it keeps stays. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, "exit");
    server.kill("SIGTERM");
    await exited;
  }
}
