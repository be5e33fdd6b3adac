import type { BoundState } from "../../state/bind-state.ts";
import type { StateRefusal } from "../../state/read-sandbox-state.ts";
import { refusalResult } from "../../state/refusal-result.ts";
import type { SandboxedWorker } from "../../worker/sandboxed-worker.ts";
import type { ReplyContent } from "../output/reply-content.ts";
import { statusLine } from "../output/status-line.ts";
import type { CallBudget } from "./call-budget.ts";
import type { ControlInput } from "./control-input.ts";
import { NOTICES } from "./notices.ts";

/** What a call is answered with. */
export interface ReplReply {
  readonly content: readonly ReplyContent[];
  readonly isError: boolean;
  readonly facts: ReplFacts;
  /** What is on record of the session, or of the one that ended; null where nothing is. */
  readonly receiptId: string | null;
}

/** The same in a form for programs. */
export interface ReplFacts extends Readonly<Record<string, unknown>> {
  readonly status: "idle" | "waiting" | "busy" | "ended" | "refused";
  /** What a program asked, where one waits for an answer. */
  readonly prompt?: string;
  readonly elapsedMs?: number;
  /** How the last cell of a shell ended. */
  readonly exitStatus?: number;
  /** How the worker ended. */
  readonly end?: string;
  readonly refusal?: StateRefusal["code"];
  /** What the session runs under, by the digests that its receipt has. */
  readonly sandbox?: Pick<BoundState, "profileDigest" | "boundDigest">;
}

/** A reply that shows content. */
export function replyOf(
  content: readonly ReplyContent[],
  facts: ReplFacts,
  { state, receiptId }: Pick<SandboxedWorker, "state" | "receiptId">,
): ReplReply {
  const sandbox = state && {
    sandbox: { profileDigest: state.profileDigest, boundDigest: state.boundDigest },
  };
  return { content, isError: false, facts: { ...facts, ...sandbox }, receiptId };
}

/** A reply that says why nothing was done. */
export function refusedReply(refusal: StateRefusal): ReplReply {
  const { content } = refusalResult(refusal);
  return {
    content,
    isError: true,
    facts: { status: "refused", refusal: refusal.code },
    receiptId: null,
  };
}

/** A reply to a call whose time was over before its turn: it takes nothing from the one that is served. */
export function crowdedReply(
  { controls, text }: ControlInput,
  facts: ReplFacts,
  budget: CallBudget,
): ReplReply {
  const isDropped = text !== "" || controls.includes("restart");
  const lines = [
    statusLine({ kind: "busy", elapsedMs: facts.elapsedMs ?? budget.elapsed() }),
    ...(isDropped ? [NOTICES.discarded] : []),
  ];
  const content = lines.map((line) => ({ type: "text" as const, text: line }));
  return { content, isError: false, facts: { ...facts, status: "busy" }, receiptId: null };
}
