/**
 * A program that has turns and nothing else: it asks the model by the package that our app-server asks it by,
 * and tells its client the words as they come.
 *
 * No thread, no policy, nothing kept, nothing checked: what a turn takes here no app-server on this package
 * and this engine can go below.
 */
import { createInterface } from "node:readline";
import { createOpenAI } from "@ai-sdk/openai";

interface Call {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly threadId?: string };
}

const [baseURL = ""] = process.argv.slice(2);
const model = createOpenAI({ baseURL, apiKey: "none" }).responses("gpt-5.5");
const SAID = { role: "user" as const, content: [{ type: "text" as const, text: "talk" }] };
let threads = 0;

createInterface({ input: process.stdin }).on("line", (line) => void take(JSON.parse(line)));

async function take({ id, method, params }: Call): Promise<void> {
  if (id === undefined) return;
  if (method === "thread/start") threads += 1;
  tell({ id, result: { thread: { id: `thread-${threads}` } } });
  if (method === "turn/start") await runTurn(params?.threadId);
}

async function runTurn(threadId: string | undefined): Promise<void> {
  const { stream } = await model.doStream({ prompt: [SAID] });
  for await (const { type } of stream) {
    if (type === "text-delta") tell({ method: "item/agentMessage/delta", params: { threadId } });
  }
  const turn = { status: "completed" };
  tell({ method: "turn/completed", params: { threadId, turn } });
}

function tell(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
