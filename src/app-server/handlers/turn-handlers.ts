/** What is said to threads. */
import type { z } from "zod";
import type { SaidInput, UserInput } from "../../agent/index.ts";
import { type Handlers, RpcError } from "../../rpc/index.ts";
import type { AppConnection } from "../app-connection.ts";
import type { UserInputParam } from "../protocol/shapes/user-input.ts";
import type { turnMethods } from "../protocol/turn-methods.ts";
import { createId } from "../threads/create-id.ts";
import type { LoadedThread } from "../threads/loaded-thread.ts";
import { writeAcceptedTurn } from "../wire/write-turn.ts";
import type { AppParts } from "./app-parts.ts";
import { chooseChange } from "./choose-change.ts";

type WireInput = z.output<typeof UserInputParam>;

/** Most characters that may be said at once. */
const MOST_CHARS = 1_048_576;
const NONE_TO_STEER = "no active turn to steer";

/** Handlers of `turn/*`. */
export function turnHandlers(parts: AppParts): Handlers<typeof turnMethods, AppConnection> {
  const { threads, now } = parts;
  return {
    start: ({ threadId, input, clientUserMessageId, toolOutput, ...change }) => {
      const thread = threads.find(threadId);
      if (toolOutput !== undefined && toolOutput !== null) {
        throw new RpcError("invalidRequest", "`toolOutput` is not supported for `turn/start`");
      }
      const said = readInput(input, { clientId: clientUserMessageId ?? null, now: now() });
      return thread.exclusively(async () => {
        const chosen = await chooseChange(parts, thread, change);
        await thread.stopped();
        return { turn: writeAcceptedTurn(thread.say(said, chosen)) };
      });
    },
    steer: ({ threadId, input, expectedTurnId, clientUserMessageId }) => {
      const thread = threads.find(threadId);
      if (expectedTurnId === "") throw refused("expectedTurnId must not be empty");
      if (input.length === 0) throw refused("input must not be empty");
      expectActive(thread, expectedTurnId, NONE_TO_STEER);
      if (thread.activeTurn?.isStopping) throw refused(NONE_TO_STEER);
      const said = readInput(input, { clientId: clientUserMessageId ?? null, now: now() });
      return { turnId: thread.say(said) };
    },
    interrupt: async ({ threadId, turnId }) => {
      const thread = threads.find(threadId);
      expectActive(thread, turnId, "no active turn to interrupt");
      await thread.interrupt();
      return {};
    },
  };
}

function expectActive({ activeTurn }: LoadedThread, id: string, none: string): void {
  if (activeTurn === undefined) throw refused(none);
  if (activeTurn.id === id) return;
  throw refused(`expected active turn id \`${id}\` but found \`${activeTurn.id}\``);
}

function refused(sentence: string): RpcError {
  return new RpcError("invalidRequest", sentence);
}

function readInput(
  input: readonly WireInput[],
  { clientId, now }: { readonly clientId: string | null; readonly now: number },
): SaidInput {
  const actual = input.reduce((sum, one) => sum + lengthOf(one), 0);
  if (actual > MOST_CHARS) {
    const what = `Input exceeds the maximum length of ${MOST_CHARS} characters.`;
    throw new RpcError("invalidParams", what, {
      data: {
        input_error_code: "input_too_large",
        max_chars: MOST_CHARS,
        actual_chars: actual,
      },
    });
  }
  return { id: createId(now), clientId, content: input.map(readPart) };
}

function lengthOf(one: WireInput): number {
  return one.type === "text" ? one.text.length : JSON.stringify(one).length;
}

function readPart(one: WireInput): UserInput {
  if (one.type === "text") return { type: "text", text: one.text };
  return { type: "other", value: one };
}
