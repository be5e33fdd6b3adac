/** One use of each door, as somebody writes it who has installed the package. Prints what came of each. */
import { type AskedPolicy, openSandbox } from "writ";
import { createAiModels } from "writ/agent";
import { createMemoryStore } from "writ/app-server";
import { appProtocol, ThreadItem } from "writ/app-server/protocol";
import { loadCeilings } from "writ/config";
import { execProtocol } from "writ/exec";
import { readMetaState, STATE_KEY } from "writ/mcp";
import { isWithin, parseAbsolutePath } from "writ/policy";
import { declarationsOf, JSON_LIMITS, readJson } from "writ/rpc";
import { bestTier, probeHost } from "writ/sandbox";
import { type CommandResult, ThreadSession } from "writ/session";

const [outside = "", home = ""] = process.argv.slice(2);

async function commandIn(policy: AskedPolicy): Promise<CommandResult> {
  const sandbox = await openSandbox({ policy, workspace: process.cwd(), home });
  const script = `echo in > in-${String(policy)}.txt; echo out > ${outside}/out.txt`;
  const result = await sandbox.run(["sh", "-c", script]);
  await sandbox.close();
  return result;
}

/** What is said where the packages that ask models were not installed. */
async function askModel(): Promise<string> {
  const provider = { name: "p", baseUrl: "http://127.0.0.1:1/v1", wireApi: "chat" } as const;
  const model = { provider: "p", model: "m", effort: null };
  const asked = createAiModels({ providers: [provider], env: {}, maxRetries: 0 }).find(model);
  const signal = new AbortController().signal;
  const content = [{ type: "text", text: "hello", text_elements: [] }] as const;
  const history = [{ type: "userMessage", id: "u", clientId: null, content }] as const;
  const answer = asked?.respond({ instructions: null, history, tools: [], model, signal });
  const events = answer?.[Symbol.asyncIterator]();
  return events === undefined ? "nobody" : String(await events.next().catch((error) => error));
}

const written = await commandIn("workspace-write");
console.log(
  JSON.stringify({
    denied: written.sandboxDenied,
    model: await askModel(),
    tier: bestTier(await probeHost()),
    ceilings: await loadCeilings(home),
    state: readMetaState({ [STATE_KEY]: {} }).kind,
    within: isWithin(parseAbsolutePath("/repo/a"), parseAbsolutePath("/repo")),
    read: readJson("[1]", JSON_LIMITS),
    methods: [appProtocol, execProtocol].map(({ toServer }) => declarationsOf(toServer).length > 0),
    items: ThreadItem.safeParse({}).success,
    others: [typeof createMemoryStore, typeof ThreadSession],
  }),
);
