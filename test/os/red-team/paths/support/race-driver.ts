/**
 * Starts sandboxes as fast as it can for a while, three at a time, and counts how they went.
 * It goes on until there were enough of them, some that ran and some that were refused.
 *
 * A program of its own: `node race-driver.ts INSTALLED WORKSPACE MILLISECONDS`.
 * It runs as whoever the sandboxes are for, from a copy, on the built program.
 */
import path from "node:path";

const [installed = "", workspace = "", time = ""] = process.argv.slice(2);
const built = path.join(installed, "dist");
const policy: typeof import("../../../../../src/policy/index.ts") = await import(
  `${built}/policy/index.js`
);
const sandbox: typeof import("../../../../../src/sandbox/index.ts") = await import(
  `${built}/sandbox/index.js`
);

const RULES = {
  extends: ":workspace",
  filesystem: { ":workspace_roots": { "a/keep": "read", "t/keep": "read", "p/q": "deny" } },
};
const cwd = policy.parseAbsolutePath(workspace);
const tables = new Map([["raced", policy.readProfileTable(RULES, "raced")]]);
const { profile } = policy.namedProfile("raced", { tables, home: "/nonexistent" });

/** Every name that may lead to what is protected, or outside. */
const COMMAND = `for f in a/keep x/keep t/keep .git p/q l/q .codex; do touch $f/landed; done 2>/dev/null
  touch control`;

let started = 0;
const counts = { ran: 0, refused: 0, ended: 0, odd: [] as string[] };

async function once(): Promise<void> {
  const bound = policy.bindProfile(
    profile,
    sandbox.probeHostRoots({
      cwd,
      workspaceRoots: [cwd],
      env: {},
      platform: "linux",
      externalSandbox: "absent",
    }),
  );
  const command = ["/bin/sh", "-c", COMMAND] as const;
  const env = { PATH: "/usr/bin:/bin" };
  const request = { command, cwd, env, profile: bound, terminal: "none" } as const;
  const plan = await sandbox.planOnHost(request, { hidden: [], readOnly: [] });
  const records = sandbox.recordsFolder();
  // Every other one takes over what the one before has left.
  started += 1;
  const lingerMs = (started % 2) * 50;
  const run = await sandbox.startPlan(plan, { records, streams: "pipe", lingerMs });
  run.stdin?.end();
  for (const stream of [run.stdout, run.stderr]) stream?.resume();
  const outcome = await run.outcome;
  if (outcome.kind === "notStarted") counts.refused += 1;
  else if (outcome.kind === "ended") counts.ended += 1;
  else if (outcome.kind === "exited" && outcome.code === 0) counts.ran += 1;
  else counts.odd.push(JSON.stringify(outcome));
}

const ENOUGH = 100;

function isEnough(): boolean {
  const { ran, refused, ended } = counts;
  return Math.min(ran, refused, ran + refused + ended - ENOUGH) > 0;
}

async function loop(end: number): Promise<void> {
  while (performance.now() < end || !isEnough()) {
    try {
      await once();
    } catch (error) {
      if (error instanceof Error && error.name === "SandboxError") counts.refused += 1;
      else counts.odd.push(String(error));
    }
  }
}

const end = performance.now() + Number(time);
await Promise.all([loop(end), loop(end), loop(end)]);
// What a start left alive would hold this one up too; whoever asked looks for it.
process.stdout.write(JSON.stringify(counts), () => process.exit());
