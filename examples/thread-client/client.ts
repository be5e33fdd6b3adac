/**
 * A client that starts a thread with a whole policy and has a line done in it.
 *
 *   node examples/thread-client/client.ts policy.json 'touch made.txt'
 *
 * It starts `writ app-server` and speaks JSON-RPC with it, a message a line. Clients of Codex's
 * app-server send the same messages. Codex ignores `sandboxPolicy` in `thread/start`; writ applies it or refuses.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

type Message = ReturnType<typeof JSON.parse>;

const [policyFile, line] = process.argv.slice(2);
if (policyFile === undefined || line === undefined) {
  console.error("usage: node examples/thread-client/client.ts POLICY.json LINE");
  process.exit(2);
}
const server = spawn("writ", ["app-server"], { stdio: ["pipe", "pipe", "inherit"] });
const waiting = new Map<number, PromiseWithResolvers<Message>>();
const turnOver = Promise.withResolvers<void>();

function send(message: object): void {
  server.stdin.write(`${JSON.stringify(message)}\n`);
}

/** Calls a method. An error is thrown: there is no thread then, and no policy was replaced by another. */
function call(method: string, params: object): Promise<Message> {
  const id = waiting.size + 1;
  const answer = Promise.withResolvers<Message>();
  waiting.set(id, answer);
  send({ id, method, params });
  return answer.promise;
}

function hear({ id, method, params, result, error }: Message): void {
  if (method === undefined && error) waiting.get(id)?.reject(new Error(error.message));
  else if (method === undefined) waiting.get(id)?.resolve(result);
  // A question of the server: nobody is there to answer it, so it is a no.
  else if (id !== undefined) send({ id, error: { code: -32_601, message: "nobody is there" } });
  else if (method === "item/completed") tell(params.item);
  else if (method === "turn/completed") turnOver.resolve();
}

function tell({ type, command, exitCode, aggregatedOutput, text }: Message): void {
  if (type === "commandExecution") {
    console.log(`- ${command}\n${aggregatedOutput}- exit ${exitCode}`);
  }
  if (type === "agentMessage") console.log(`< ${text}`);
}

createInterface({ input: server.stdout }).on("line", (text) => hear(JSON.parse(text)));
try {
  await call("initialize", { clientInfo: { name: "example", version: "1.0.0" } });
  send({ method: "initialized" });
  const sandboxPolicy = JSON.parse(readFileSync(policyFile, "utf8"));
  const { thread } = await call("thread/start", { cwd: process.cwd(), sandboxPolicy });
  await call("turn/start", { threadId: thread.id, input: [{ type: "text", text: line }] });
  await turnOver.promise;
} catch (error) {
  console.error(`refused: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  server.stdin.end();
}
