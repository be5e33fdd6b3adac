/**
 * Many clients at once: 64 connections with 50 sandboxed commands each.
 *
 * What counts is that all of it arrives and that the memory of the server is bounded.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { ExecClient } from "./exec-client.ts";
import { startOurs, workspaceWrite } from "./exec-server.ts";

const [CONNECTIONS, COMMANDS, BYTES] = [64, 50, 100_000];

/** Prints the rate and the most memory that the server had. */
export async function execLoadBench(): Promise<void> {
  const base = mkdtempSync("/var/tmp/writ-bench-");
  const server = await startOurs(base);
  try {
    const before = server.memory("VmRSS");
    const begin = performance.now();
    await Promise.all(
      Array.from({ length: CONNECTIONS }, () => work(server.url, server.workspace)),
    );
    const rate = (1000 * CONNECTIONS * COMMANDS) / (performance.now() - begin);
    const [idle, most] = [before, server.memory("VmHWM")].map((one) => (one / 1e6).toFixed(0));
    process.stdout.write(
      `${CONNECTIONS} connections, ${COMMANDS} commands each\n` +
        `  ${rate.toFixed(1)} a second; at most ${most} MB, ${idle} MB before\n`,
    );
  } finally {
    await server.stop();
    rmSync(base, { recursive: true, force: true });
  }
}

async function work(url: string, cwd: string): Promise<void> {
  const client = await ExecClient.connect(url);
  const argv = ["/usr/bin/head", "-c", String(BYTES), "/dev/zero"];
  const sandbox = workspaceWrite(cwd);
  for (let count = 0; count < COMMANDS; count += 1) {
    const { bytes, exitCode } = await client.run({ argv, cwd, sandbox });
    if (bytes !== BYTES || exitCode !== 0) {
      throw new Error(`Cannot compare: ${bytes} bytes came, and exit code ${exitCode}`);
    }
  }
  client.close();
}
