import type { ModelEvent } from "../../model.ts";

type CallEvent = Extract<ModelEvent, { kind: "call" }>;

interface Delta {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null;
}

/** Calls of chat completions that never got a name: the SDK drops them, and then nobody would answer whoever made them. */
export class UnnamedCalls {
  readonly #all = new Map<unknown, { callId: string; name: string; input: string }>();

  /** Heeds one part of an answer as it came over the wire. */
  take(raw: unknown): void {
    for (const { index, id, function: said } of deltasIn(raw)) {
      const known = this.#all.get(index) ?? { callId: "", name: "", input: "" };
      known.callId ||= textOf(id);
      known.name ||= textOf(said?.name).trim();
      known.input += textOf(said?.arguments);
      this.#all.set(index, known);
    }
  }

  *events(): Generator<CallEvent> {
    for (const one of this.#all.values()) if (one.name === "") yield { kind: "call", ...one };
  }
}

function deltasIn(raw: unknown): Delta[] {
  const [choice] = listOf(Object(raw).choices);
  const calls = listOf(Object(Object(choice).delta).tool_calls);
  return calls.filter((one): one is Delta => typeof one === "object" && one !== null);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
