/**
 * Puts a chat together: a server, a screen and a keyboard.
 *
 * At a terminal there is a line to edit and progress; anywhere else it is lines in and lines out.
 */
import fs from "node:fs";
import path from "node:path";
import type { Readable } from "node:stream";
import tty from "node:tty";
import { ModelError } from "../../agent/index.ts";
import { ThreadStoreError } from "../../app-server/index.ts";
import { PACKAGE_ROOT } from "../../exec/index.ts";
import { ReceivedRpcError, TransportError } from "../../rpc/index.ts";
import { visibleLine } from "../../sandbox/index.ts";
import { type CliWorld, type CommandInput, UsageError } from "../command.ts";
import { readableFolder } from "../policy/bind-flags.ts";
import { Chat, type ChatParts, isRefusal } from "./chat.ts";
import { type ChatOptions, readChatOptions } from "./chat-options.ts";
import { type ChatServer, openChatServer } from "./open-chat-server.ts";
import type { Keyboard } from "./terminal/keyboard.ts";
import { LineKeyboard } from "./terminal/line-keyboard.ts";
import { Screen } from "./terminal/screen.ts";
import { TerminalKeyboard } from "./terminal/terminal-keyboard.ts";
import { secretsIn } from "./text/secrets.ts";
import { MARKS, shownText } from "./text/shown-text.ts";
import { choosePaint } from "./view/paint.ts";

/** What a chat touches beside the world; tests hand in their own. */
export interface ChatEdges {
  readonly input: Readable;
  readonly output: unknown;
  /** Calls back on ^C from outside, and when the process is told to end. */
  readonly signals: (interrupt: () => void, end: () => void) => void;
}

const COLUMNS = 80;

/** Talks until the end; the answer is the exit status. */
export async function runChat(
  input: Pick<CommandInput, "flags" | "positionals">,
  world: CliWorld,
  edges: ChatEdges,
): Promise<number> {
  readableFolder(world.cwd);
  const options = readChatOptions(input, world);
  let chat: Chat | undefined;
  const interrupt = () => chat?.interrupt();
  const parts = openParts(world, edges, interrupt);
  let server: ChatServer | undefined;
  try {
    server = await openChatServer(options, parts.world);
    chat = new Chat(server.transport, parts);
    edges.signals(interrupt, () => chat?.end());
    return await chat.run(options);
  } catch (error) {
    refuseAsked(error, options);
    return told(error, world);
  } finally {
    parts.keyboard.close();
    await server?.close();
  }
}

/** How a server of ours begins to say that a policy cannot be meant. */
const ABOUT_POLICY = /^invalid sandbox policy: /;

/** What a server refused because it was asked for on the command line. */
function refuseAsked(error: unknown, { begin }: ChatOptions): void {
  if (error instanceof ModelError) throw new UsageError(error.message, { cause: error });
  const isAsked = [begin.permissions, begin.sandboxPolicy].some((one) => one !== undefined);
  if (!isAsked || !(error instanceof ReceivedRpcError) || !ABOUT_POLICY.test(error.message)) return;
  throw new UsageError(error.message.replace(ABOUT_POLICY, ""), { cause: error });
}

/** What is wrong with the place or the server, and not with how it was asked for. */
function told(error: unknown, world: CliWorld): number {
  const kinds = [TransportError, ThreadStoreError];
  const isKnown = isRefusal(error) || kinds.some((kind) => error instanceof kind);
  if (!isKnown || !(error instanceof Error)) throw error;
  world.err(`writ: ${visibleLine(error.message)}\n`);
  return 1;
}

function openParts(world: CliWorld, edges: ChatEdges, interrupted: () => void): ChatParts {
  const { output } = edges;
  const secrets = secretsIn(world.env);
  const isTerminal = output instanceof tty.WriteStream;
  const { screen, keyboard } = openTerminal(world, edges, interrupted);
  const isLive = keyboard instanceof TerminalKeyboard;
  const err = (text: string) => {
    const shown = shownText(text, MARKS.writ, secrets);
    if (isLive) screen.print(shown);
    else world.err(shown);
  };
  return {
    ...{ screen, keyboard, secrets },
    world: { ...world, err },
    paint: choosePaint(world.env, isTerminal),
    width: () => (isTerminal ? output.columns || COLUMNS : Number.POSITIVE_INFINITY),
    version: versionOf(),
  };
}

function openTerminal(
  world: CliWorld,
  { input, output }: ChatEdges,
  interrupted: () => void,
): { screen: Screen; keyboard: Keyboard } {
  const write = (text: string) => world.out(text);
  const rows = output instanceof tty.WriteStream && { columns: () => output.columns || COLUMNS };
  const isPerson = input instanceof tty.ReadStream;
  if (!isPerson || !(output instanceof tty.WriteStream) || world.env.TERM === "dumb") {
    const screen = new Screen({ write, isLive: false, ...rows });
    return { screen, keyboard: new LineKeyboard({ input, isPerson, prompt: write }) };
  }
  const paint = choosePaint(world.env, true);
  const keyboard = new TerminalKeyboard({ input, output, paint, interrupted });
  const screen = new Screen({
    write,
    isLive: true,
    ...rows,
    around: (put) => keyboard.around(put),
    isEditing: () => keyboard.isPrompting,
  });
  return { screen, keyboard };
}

function versionOf(): string {
  return JSON.parse(fs.readFileSync(path.join(PACKAGE_ROOT, "package.json"), "utf8")).version;
}
