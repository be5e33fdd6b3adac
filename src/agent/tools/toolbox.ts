import type { ToolDeclaration } from "../model/model.ts";
import { refuseCall } from "./refuse-call.ts";
import type { ToolCall, ToolContext, ToolOutcome, ToolSource } from "./tool.ts";

type ThreadTools = ReturnType<ToolSource["openThread"]>;

/** All tools of one thread. Of two with one name the earlier source has it. */
export class Toolbox {
  readonly #sources: readonly ThreadTools[];

  constructor(sources: readonly ThreadTools[]) {
    this.#sources = sources;
  }

  async declarations(context: ToolContext): Promise<readonly ToolDeclaration[]> {
    const all = await Promise.all(this.#sources.map((source) => source.declarations(context)));
    const byName = new Map<string, ToolDeclaration>();
    for (const one of all.flat()) if (!byName.has(one.name)) byName.set(one.name, one);
    return [...byName.values()];
  }

  async run(call: ToolCall, context: ToolContext): Promise<ToolOutcome> {
    const source = this.#sources.find((one) => one.has(call.name));
    if (source !== undefined) return source.run(call, context);
    const name = JSON.stringify(call.name.slice(0, 128));
    const reason = `Cannot call ${name}: there is no such tool, expected one that was declared`;
    return refuseCall(call, reason, context);
  }

  async endTurn(context: ToolContext): Promise<void> {
    await Promise.allSettled(this.#sources.map((source) => source.endTurn(context)));
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#sources.map((source) => source.close()));
  }
}
