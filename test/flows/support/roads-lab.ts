/** A thread whose tool calls can take three roads: a local command, an MCP server, another machine. */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll } from "vitest";
import type { AppClient, Message } from "../../os/app-server/support/app-client.ts";
import { ACCEPT } from "../../os/app-server/support/asking.ts";
import { caseApp } from "../../os/app-server/support/case-app.ts";
import { sharedLab } from "../../os/exec-server/support/exec-lab.ts";
import type { Place, SandboxUser } from "../../os/support/sandbox-user.ts";

export const ROADS = ["command", "mcp", "remote"] as const;
export type Road = (typeof ROADS)[number];

type Wire = NonNullable<Message["result"]>;

/** What was printed and what was on record of it. */
export interface Ran {
  readonly lines: readonly string[];
  readonly receipt: Wire;
}

export interface RoadThread {
  /** The answer to `thread/start`. */
  readonly start: Wire;
  /** Runs the probe on a road, with these arguments. */
  run(road: Road, args: string): Promise<Ran>;
}

const TOKEN = "sesame";
const REMOTE = "elsewhere";

/** Tries things, and says of each whether it could: `sh probe.sh MARK PORT OUTSIDE`. */
const PROBE = `mark=$1 port=$2 outside=$3
try() { name=$1; shift; if ("$@") >/dev/null 2>&1; then echo "probe $name yes"; else echo "probe $name no"; fi; }
put() { echo "$mark" > "$1"; }
reach() { bash -c "exec 3<>/dev/tcp/127.0.0.1/$port"; }
try inside put "$mark"
try outside put "$outside/$mark"
try git put ".git/$mark"
try tmp put "/tmp/$mark"
try secret grep -q hidden secret
try network reach
`;

const settings = ({ workspace, env, installed }: Place) => {
  const text = (value: string | undefined) => JSON.stringify(value ?? "");
  return `[permissions.mine]
extends = ":workspace"
[permissions.mine.filesystem]
${text(path.join(workspace, "secret"))} = "deny"
[mcp_servers.bash]
command = ${text(path.join(installed, "bin/writ"))}
args = ["repl", "--sandbox", "inherit", "--language", "bash"]
sandbox = "inherit"
env = { WRIT_HOME = ${text(env.WRIT_HOME)}, HOME = ${text(env.HOME)} }
`;
};

/** One app-server with both other roads, for all tests of a `describe`. */
export function roadsLab(user: SandboxUser) {
  const digest = createHash("sha256").update(TOKEN).digest("hex");
  const flags = ["--ws-auth", "capability-token", "--ws-token-sha256", digest];
  const app = caseApp({ user, settings, token: TOKEN });
  const machine = sharedLab({
    ...{ user, flags },
    get place() {
      return app().place;
    },
  });
  beforeAll(async () => {
    layOut(app().place);
    const params = { environmentId: REMOTE, execServerUrl: machine().url, authBearerToken: TOKEN };
    await app().client.ok("environment/add", params);
  });
  return () => {
    const { client, place } = app();
    return { place, thread: (members: object) => begin(client, place, members) };
  };
}

function layOut({ workspace, give }: Place): void {
  mkdirSync(path.join(workspace, ".git"));
  writeFileSync(path.join(workspace, ".git/HEAD"), "ref: refs/heads/main\n");
  writeFileSync(path.join(workspace, "secret"), "hidden\n");
  writeFileSync(path.join(workspace, "probe.sh"), PROBE);
  give();
}

async function begin(client: AppClient, place: Place, members: object): Promise<RoadThread> {
  const { workspace: cwd } = place;
  client.onAsked = () => ACCEPT;
  const start = await client.ok("thread/start", { cwd, approvalPolicy: "on-request", ...members });
  const threadId = start.thread.id;
  return {
    start,
    async run(road, args) {
      const line = `sh probe.sh ${args}`;
      const call = `call bash.repl ${JSON.stringify({ input: `${line}\n` })}`;
      const there = { environments: [{ environmentId: REMOTE, cwd }] };
      const { items } = await client.turn(
        threadId,
        road === "mcp" ? call : line,
        road === "remote" ? there : {},
      );
      return { lines: probeLines(items), receipt: receiptOf(place, threadId, items) };
    },
  };
}

/** The one that the item names. */
function receiptOf(place: Place, threadId: string, items: readonly Wire[]): Wire {
  const item = items.find(({ type }) => type === "commandExecution" || type === "mcpToolCall");
  const { stdout } = place.run(["receipts", "--json", "--thread", threadId]);
  const found = JSON.parse(stdout).filter(({ id }: Wire) => id === item?.writ.receiptId);
  if (found.length === 1) return found[0];
  throw new Error(`${found.length} receipts of ${JSON.stringify(item)} in ${stdout}`);
}

/** Whoever printed them, and whatever stands around them. */
function probeLines(items: readonly Wire[]): string[] {
  const lines = items.flatMap((item) => textOf(item).split("\n"));
  const found = lines.filter((line) => line.startsWith("probe ")).toSorted();
  if (found.length > 0) return found;
  throw new Error(`nothing was printed: ${JSON.stringify(items)}`);
}

function textOf(item: Wire): string {
  if (item.type === "commandExecution") return item.aggregatedOutput ?? "";
  if (item.type !== "mcpToolCall") return "";
  return (item.result?.content ?? []).map(({ text = "" }: Wire) => text).join("\n");
}
