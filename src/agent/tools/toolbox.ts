import type { ToolDeclaration } from "../model/model.ts";
import { refuseCall } from "./refuse-call.ts";
import type { ToolCall, ToolContext, ToolOutcome, ToolSource } from "./tool.ts";
import type { ToolBounds } from "./tool-bounds.ts";

type ThreadTools = ReturnType<ToolSource["openThread"]>;

/** All tools of one thread. Of two with one name the earlier source has it. */
export class Toolbox {
  readonly #sources: readonly ThreadTools[];
  readonly #bounds: ToolBounds;

  constructor(sources: readonly ThreadTools[], bounds: ToolBounds) {
    this.#sources = sources;
    this.#bounds = bounds;
  }

  async declarations(given: ToolContext): Promise<readonly ToolDeclaration[]> {
    const context = this.#under(given);
    const all = await Promise.all(this.#sources.map((source) => source.declarations(context)));
    const byName = new Map<string, ToolDeclaration>();
    for (const one of all.flat()) if (!byName.has(one.name)) byName.set(one.name, one);
    return [...byName.values()].filter(({ name }) => this.#bounds.refusalOf(name) === undefined);
  }

  async run(call: ToolCall, given: ToolContext): Promise<ToolOutcome> {
    await this.#bounds.renew(given);
    const context = this.#under(given);
    const source = this.#sources.find((one) => one.has(call.name));
    const name = JSON.stringify(call.name.slice(0, 128));
    if (source === undefined) {
      const reason = `Cannot call ${name}: there is no such tool, expected one that was declared`;
      return refuseCall(call, reason, context);
    }
    const refusal = this.#bounds.refusalOf(call.name);
    if (refusal === undefined) return source.run(call, context);
    return refuseCall(call, `Cannot call ${name}: ${refusal}`, context);
  }

  #under(context: ToolContext): ToolContext {
    const frame = this.#bounds.frameUnder(context.frame);
    return frame === context.frame ? context : { ...context, frame };
  }

  async endTurn(context: ToolContext): Promise<void> {
    await Promise.allSettled(this.#sources.map((source) => source.endTurn(context)));
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#sources.map((source) => source.close()));
  }
}
