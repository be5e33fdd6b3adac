/**
 * What the sandbox adds to MCP: the state of a call, a confined server, and another state.
 *
 * The bare server, and the bare bubblewrap call, are measured in turn in the same run.
 */
import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { writeCallMeta } from "../src/mcp/index.ts";
import { policyForMode, profileOfPolicy, uriOfNative } from "../src/policy/index.ts";
import { planTrue, timeBare } from "./bare-call.ts";
import { BenchClient } from "./mcp-client.ts";
import { measure, medianOf, readable } from "./measure.ts";

const ROOT = path.resolve(import.meta.dirname, "..");
const SERVER = path.join(import.meta.dirname, "mcp-server.mjs");
const CALLS = 301;
const CHANGES = 31;

/** Prints medians and ratios. */
export async function mcpBench(): Promise<void> {
  const base = mkdtempSync("/var/tmp/writ-bench-");
  try {
    injection(base);
    await calls(base);
    await changes(base);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

function sandboxOf(mode: "read-only" | "workspace-write", roots: readonly string[]) {
  return {
    profile: profileOfPolicy(policyForMode(mode)),
    cwd: uriOfNative(roots[0] ?? "/"),
    workspaceRoots: roots.map((root) => uriOfNative(root)),
    ids: { threadId: "thread", turnId: "turn", callId: "call" },
  };
}

function injection(base: string): void {
  const figures = measure(
    [1, 5].map((count) => {
      const roots = Array.from({ length: count }, (_, index) => path.join(base, `ws${index}`));
      const sandbox = sandboxOf("workspace-write", roots);
      const run = (times: number) => {
        for (let time = 0; time < times; time += 1) {
          JSON.stringify(writeCallMeta({ progressToken: 1 }, sandbox, "anybody"));
        }
      };
      return { name: `the state of a call, ${count} roots`, run };
    }),
    11,
  );
  for (const { name, median } of figures) line(name, readable(median));
}

function clients(base: string) {
  const options = { cwd: base, env: { ...process.env, WRIT_HOME: path.join(base, "home") } };
  const node = process.execPath;
  return {
    bare: () => new BenchClient([node, SERVER], options),
    confined: () =>
      new BenchClient([path.join(ROOT, "bin/writ"), "confine", "--", node, SERVER], options),
  };
}

function callOf(base: string, mode: "read-only" | "workspace-write") {
  const meta = writeCallMeta(undefined, sandboxOf(mode, [base]), "anybody");
  return { name: "bench", arguments: {}, _meta: meta };
}

async function calls(base: string): Promise<void> {
  const { bare, confined } = clients(base);
  const both = [bare(), confined()];
  const call = callOf(base, "workspace-write");
  for (const client of both) {
    await client.initialize();
    await client.request("tools/call", call);
  }
  const samples = both.map((): number[] => []);
  for (let round = 0; round < CALLS; round += 1) {
    for (const [index, client] of both.entries()) {
      const start = performance.now();
      await client.request("tools/call", call);
      samples[index]?.push(performance.now() - start);
    }
  }
  await Promise.all(both.map((client) => client.close()));
  const [direct = 0, through = 0] = samples.map(medianOf);
  line("a call to the bare server", ms(direct));
  line("a call through confine", `${ms(through)}, ${ms(through - direct)} more`);
}

/** A state that differs every time, so that every call restarts the server. */
async function changes(base: string): Promise<void> {
  const { bare, confined } = clients(base);
  const client = confined();
  await client.initialize();
  // Of its own: a sandbox that lives holds placeholders in the other.
  const beside = mkdtempSync(path.join(base, "beside-"));
  const plan = await planTrue(beside);
  const samples: { own: number[]; bubblewrap: number[]; change: number[] } = {
    own: [],
    bubblewrap: [],
    change: [],
  };
  for (let round = 0; round < CHANGES; round += 1) {
    const start = performance.now();
    await client.request(
      "tools/call",
      callOf(base, round % 2 === 0 ? "workspace-write" : "read-only"),
    );
    samples.change.push(performance.now() - start);
    samples.own.push(await startOf(bare));
    samples.bubblewrap.push(timeBare(plan));
  }
  await client.close();
  const [own, bubblewrap, change] = [samples.own, samples.bubblewrap, samples.change].map(medianOf);
  if (own === undefined || bubblewrap === undefined || change === undefined) return;
  line("the server's own start and handshake", ms(own));
  line("the bare bubblewrap call", ms(bubblewrap));
  line("another state", `${ms(change)}, ${(change / (own + bubblewrap)).toFixed(2)} × both`);
}

async function startOf(bare: () => BenchClient): Promise<number> {
  const start = performance.now();
  const client = bare();
  await client.initialize();
  await client.request("tools/call", { name: "bench", arguments: {} });
  const took = performance.now() - start;
  await client.close();
  return took;
}

function line(name: string, figure: string): void {
  process.stdout.write(`${name.padEnd(40)} ${figure}\n`);
}

function ms(value: number): string {
  return readable(value * 1e6);
}
