/**
 * Turns through the AI SDK and a provider of somebody else, which starts our server itself.
 *
 * Each turn is a process of its own: a provider hands its whole environment on.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { AI_LAB } from "./app-install-providers.ts";
import { type Place, WRIT, writEnv } from "./drive-codex.ts";

export type Provider = "ai-sdk-provider-codex-app-server" | "ai-sdk-provider-codex-cli";

export interface ProviderTurn {
  readonly place: Place;
  readonly sandbox: "read-only" | "workspace-write";
  /** What the user says. */
  readonly line: string;
}

const Streamed = z.object({
  /** The input of each call that was streamed. */
  commands: z.array(z.string()),
  text: z.string(),
  finish: z.string(),
});

/** Each names its settings its own way. One puts a word before the prompt, so the line comes after another. */
const SETTINGS = {
  "ai-sdk-provider-codex-app-server": { mode: "sandboxMode", approval: "approvalMode" },
  "ai-sdk-provider-codex-cli": { mode: "sandboxPolicy", approval: "approvalPolicy" },
};

const PROGRAM = `
import { streamText } from "ai";
const { provider, settings, prompt } = JSON.parse(process.argv.at(-1));
const { createCodexAppServer } = await import(provider);
const codex = createCodexAppServer({ defaultSettings: { ...settings, logger: false } });
const { fullStream } = streamText({ model: codex("offline"), prompt });
const seen = { commands: [], text: "", finish: "" };
for await (const part of fullStream) {
  if (part.type === "error") throw part.error;
  if (part.type === "tool-call") seen.commands.push(part.input.command);
  if (part.type === "text-delta") seen.text += part.text;
  if (part.type === "finish") seen.finish = part.finishReason;
}
process.stdout.write(JSON.stringify(seen), () => process.exit(0));
`;

/** Runs one turn to its end. */
export async function askThrough(
  provider: Provider,
  { place, sandbox, line }: ProviderTurn,
): Promise<z.infer<typeof Streamed>> {
  const { mode, approval } = SETTINGS[provider];
  const env = writEnv(place);
  const settings = {
    codexPath: WRIT,
    cwd: place.workspace,
    env,
    [mode]: sandbox,
    [approval]: "never",
  };
  const order = JSON.stringify({ provider, settings, prompt: `Run this:\n${line}` });
  const child = spawn(process.execPath, ["--input-type=module", "-e", PROGRAM, order], {
    cwd: AI_LAB,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const [status] = await once(child, "exit");
  const [stdout, stderr] = await said;
  if (status !== 0) throw new Error(`${provider} failed: ${stderr}`);
  return Streamed.parse(JSON.parse(stdout));
}
