/**
 * The loop: what was said goes to the model, its calls are run, until it makes none.
 *
 * A turn ends in a value. What a model or a command does never throws out of
 * here; only what cannot be kept does.
 */

import { AbortRace } from "../abort-race.ts";
import type { UserMessage } from "../items/user-message.ts";
import type { ModelEvent, Models } from "../model/model.ts";
import { ModelError } from "../model/model-error.ts";
import { ABORTED, orAborted } from "../or-aborted.ts";
import { LOAD_SKILL } from "../skills/load-skill-input.ts";
import { askedSkills } from "../skills/thread-skills.ts";
import type { ToolCall, ToolContext, ToolOutcome } from "../tools/tool.ts";
import type { Toolbox } from "../tools/toolbox.ts";
import type { TurnItem } from "../turn-item.ts";
import type { TurnEnd } from "../turn-port.ts";
import type { SaidInput, TurnRequest } from "../turn-request.ts";
import { Answer } from "./answer.ts";
import { ItemIds } from "./item-ids.ts";

export interface TurnParts {
  readonly context: ToolContext;
  readonly models: Models;
  readonly tools: Toolbox;
  /** What a model is told of skills; undefined for nothing. */
  readonly catalogue: () => string | undefined;
  /** Loads a skill that the user names. */
  readonly loadAsked: (call: ToolCall) => Promise<ToolOutcome>;
}

interface Talk {
  readonly history: TurnItem[];
  readonly ids: ItemIds;
}

const MOST_ROUNDS = 100;
const COMPLETED: TurnEnd = { status: "completed" };
const INTERRUPTED: TurnEnd = { status: "interrupted" };

/** Runs one turn from what was said to its end. */
export async function runTurn(request: TurnRequest, parts: TurnParts): Promise<TurnEnd> {
  const { port } = parts.context;
  const talk: Talk = { history: [...request.history], ids: new ItemIds(request.history) };
  let said: readonly SaidInput[] = [request.input, ...port.takeSteered()];
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const unheard = await hear(said, talk, parts);
    if (unheard !== undefined) return { status: "failed", message: unheard };
    const answer = await askModel(talk, parts);
    if (port.signal.aborted) return INTERRUPTED;
    if (answer instanceof ModelError) return { status: "failed", message: answer.message };
    if ((await runCalls(answer, talk, parts)) === "stop") return INTERRUPTED;
    said = port.takeSteered();
    if (answer.calls.length === 0 && said.length === 0) return COMPLETED;
  }
  return endless(said, parts);
}

/** What was said meanwhile is kept, though nobody answers it. */
function endless(said: readonly SaidInput[], { context }: TurnParts): TurnEnd {
  for (const one of said) tell(one, context);
  const message = `Cannot go on: the model called tools ${MOST_ROUNDS} times in a row, expected an answer`;
  return { status: "failed", message };
}

/**
 * Skills that were named go first: what was said comes last, and is what the model answers. Where one
 * cannot be loaded, why: without it the turn would do what was asked under wider rules. What was
 * said behind it is kept all the same: whoever said it was told that the turn has it.
 */
async function hear(
  said: readonly SaidInput[],
  talk: Talk,
  parts: TurnParts,
): Promise<string | undefined> {
  let unheard: string | undefined;
  for (const one of said) {
    const message = tell(one, parts.context);
    unheard ??= await loadNamed(one, talk, parts);
    talk.history.push(message);
  }
  return unheard;
}

async function loadNamed(
  { content }: SaidInput,
  { history, ids }: Talk,
  { loadAsked }: TurnParts,
): Promise<string | undefined> {
  for (const name of askedSkills(content)) {
    const input = JSON.stringify({ name });
    const { item } = await loadAsked({ callId: ids.take(""), name: LOAD_SKILL, input });
    history.push(item);
    if (item.type !== "toolCall" || item.status !== "completed") return unloaded(item, name);
  }
  return undefined;
}

function unloaded(item: TurnItem, name: string): string {
  const why = "call" in item ? item.call?.output : null;
  return why ?? `Cannot load the skill ${JSON.stringify(name)}: expected its name`;
}

function tell({ id, clientId, content }: SaidInput, { port, now }: ToolContext): UserMessage {
  const item: UserMessage = { type: "userMessage", id, clientId, content };
  const atMs = now();
  port.emit({ kind: "itemStarted", item, atMs }, { kind: "itemCompleted", item, atMs });
  return item;
}

/** The whole answer, or why there is none. What had come of it until then is kept. */
async function askModel(talk: Talk, parts: TurnParts): Promise<Answer | ModelError> {
  const answer = new Answer(parts.context, talk.ids);
  try {
    await readAnswer(answer, talk, parts);
    return answer;
  } catch (error) {
    if (error instanceof ModelError) return error;
    if (isKeepFailure(error, parts)) throw error;
    return new ModelError("unavailable", "Cannot go on: the model failed and did not say why");
  } finally {
    answer.close();
    talk.history.push(...answer.items);
  }
}

/** Where an event could not be kept, the port has been told and the turn is stopped. */
function isKeepFailure(error: unknown, { context: { port } }: TurnParts): boolean {
  return port.signal.aborted && port.signal.reason === error;
}

async function readAnswer(answer: Answer, talk: Talk, parts: TurnParts): Promise<void> {
  const { context, models, tools } = parts;
  const { frame, port } = context;
  const { signal } = port;
  const declared = await orAborted(tools.declarations(context), signal);
  if (declared === ABORTED) return;
  const { model } = frame;
  // There are providers that refuse a thread with blank ones.
  const told = [frame.instructions, parts.catalogue()].filter((one) => one?.trim());
  const instructions = told.length === 0 ? null : told.join("\n\n");
  const history = [...talk.history];
  const asked = models
    .find(model)
    .respond({ instructions, history, tools: declared, model, signal });
  await readEvents(asked, answer, signal);
}

async function readEvents(
  asked: AsyncIterable<ModelEvent>,
  answer: Answer,
  signal: AbortSignal,
): Promise<void> {
  const events = asked[Symbol.asyncIterator]();
  const race = new AbortRace(signal);
  try {
    for (;;) {
      const next = await race.wait(events.next());
      if (next === ABORTED) events.return?.()?.catch(() => {});
      if (next === ABORTED || next.done) return;
      answer.take(next.value);
    }
  } finally {
    race.end();
  }
}

async function runCalls(
  { calls }: Answer,
  { history }: Talk,
  { context, tools }: TurnParts,
): Promise<"goOn" | "stop"> {
  for (const call of calls) {
    const { item, next } = await tools.run(call, context);
    history.push(item);
    if (next === "stop" || context.port.signal.aborted) return "stop";
  }
  return "goOn";
}
