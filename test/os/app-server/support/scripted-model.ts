/**
 * A model behind real HTTP that does what was written for the user's last line, one step a request.
 *
 * It remembers nothing: which step is due is read from what the server tells it, so that a server
 * that was killed and came back is answered as one that was not.
 */
import { onTestFinished } from "vitest";
import {
  answers,
  calls,
  type SeenRequest,
  type Step,
  says,
  startProvider,
} from "../../../agent/model/ai/support/responses-server.ts";

export interface ScriptedModel {
  /** Lines of `config.toml` that make it the model of every thread. */
  readonly config: string;
  /** What to do when this was said last; without a script, the line is a command. */
  readonly scripts: Map<string, readonly Step[]>;
  /** As they came. */
  readonly requests: readonly SeenRequest[];
  close(): Promise<void>;
}

type Told = Readonly<Record<string, unknown>>;

const MOST_REQUESTS = 10_000;

/** Listens until the test, or whoever is said, ends. */
export async function scriptedModel(
  finished: (end: () => Promise<void>) => void = onTestFinished,
): Promise<ScriptedModel> {
  const scripts = new Map<string, readonly Step[]>();
  const step: Step = (response, request) => {
    const { line, round } = placeOf(request.body.input as readonly Told[]);
    const script = scripts.get(line) ?? commandScript(line);
    const due = script[round] ?? answers(says(`done-${round}`, "Done."));
    return due(response, request);
  };
  const provider = await startProvider(...Array.from({ length: MOST_REQUESTS }, () => step));
  finished(() => provider.close());
  return {
    config: `model = "scripted"
model_provider = "scripted"
[model_providers.scripted]
base_url = "${provider.baseUrl}"
`,
    scripts,
    requests: provider.requests,
    close: () => provider.close(),
  };
}

/** Calls under ids that no other line has. */
export function callsTool(line: string, name: string, input: unknown): Step {
  const id = `call_${Buffer.from(line).toString("hex").slice(-40)}_${name}`;
  return answers(calls(id, name, typeof input === "string" ? input : JSON.stringify(input)));
}

function commandScript(line: string): readonly Step[] {
  return [callsTool(line, "exec_command", { cmd: line })];
}

/** The user's last line, and how often something came back since. */
function placeOf(input: readonly Told[]): { readonly line: string; readonly round: number } {
  const at = input.findLastIndex(({ role }) => role === "user");
  const content = input[at]?.content;
  const [{ text = "" } = { text: "" }] = Array.isArray(content) ? content : [{ text: content }];
  const since = input.slice(at + 1);
  return { line: text, round: since.filter(({ type }) => type === "function_call_output").length };
}
