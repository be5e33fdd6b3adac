/** Threads that ask: what a test says in them, and what became of the question. */
import type { Place } from "../../support/sandbox-user.ts";
import type { AppClient, Message } from "./app-client.ts";

type Item = NonNullable<Message["result"]>;

/** A thread that writes in its workspace and asks when the model wants to leave it. */
export async function askingThread(
  client: AppClient,
  { workspace }: Pick<Place, "workspace">,
  members: object = {},
): Promise<string> {
  const policy = { sandbox: "workspace-write", approvalPolicy: "on-request" };
  const { thread } = await client.ok("thread/start", { cwd: workspace, ...policy, ...members });
  return thread.id;
}

/** Says something and does not wait for what comes of it; the id of the turn. */
export async function say(
  client: AppClient,
  threadId: string,
  text: string,
  members: object = {},
): Promise<string> {
  const input = [{ type: "text", text, text_elements: [] }];
  const { turn } = await client.ok("turn/start", { threadId, input, ...members });
  return turn.id;
}

/** How a turn ended, with the items that were completed in it. */
export async function ended(
  client: AppClient,
  turnId: string,
): Promise<{ readonly status: string; readonly items: readonly Item[] }> {
  const done = await client.note("turn/completed", ({ turn }) => turn.id === turnId);
  const items = client.notes
    .filter(({ method, params }) => method === "item/completed" && params.turnId === turnId)
    .map(({ params }) => params.item);
  return { status: done.params.turn.status, items };
}

/** The command of a turn. */
export function commandOf(items: readonly Item[]): Item {
  const item = items.find(({ type }) => type === "commandExecution");
  if (item === undefined) throw new Error(`there is no command in ${JSON.stringify(items)}`);
  return item;
}

/** What the model said last. */
export function lastWords(items: readonly Item[]): string {
  return items.findLast(({ type }) => type === "agentMessage")?.text ?? "";
}

/** Settles when the server has read all that the client sent before. */
export async function heardOut(client: AppClient): Promise<void> {
  await client.call("thread/loaded/list", {});
}

/** Whether a question of the thread is open. */
export async function isWaiting(client: AppClient, threadId: string): Promise<boolean> {
  const { thread } = await client.ok("thread/read", { threadId });
  return thread.status.activeFlags?.includes("waitingOnApproval") ?? false;
}

export const ACCEPT = { result: { decision: "accept" } };
export const DECLINE = { result: { decision: "decline" } };
