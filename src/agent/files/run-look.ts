/**
 * `read_file`, `list_dir`, `grep` and `view_image`: what only looks.
 *
 * Each is a call into the session of the thread, under the policy of the turn.
 * Its item is started before that and is completed whatever comes of it.
 */
import { SessionError, type ToolOutcome as SessionOutcome } from "../../session/index.ts";
import type { ShownImage, ToolUse } from "../items/tool-use.ts";
import type { ThreadSandbox } from "../sandbox/thread-sandbox.ts";
import { toldFailure } from "../sandbox/told-failure.ts";
import { refuseCall } from "../tools/refuse-call.ts";
import { startToolUse } from "../tools/start-tool-use.ts";
import type { ToolCall, ToolContext, ToolOutcome } from "../tools/tool.ts";
import { denialSentence, isForbidden } from "./denial-sentence.ts";
import { type FileInput, type FileToolName, readFileInput } from "./file-input.ts";
import { hidingNote } from "./hiding-note.ts";
import { type FoundLines, type ListedFolder, lookTexts, type ReadLines } from "./look-texts.ts";
import { pathToRead } from "./path-at.ts";
import { pictureOf } from "./picture-of.ts";

export type LookToolName = Extract<FileToolName, "read_file" | "list_dir" | "grep" | "view_image">;

/** What a look has to say. */
interface Seen {
  readonly text: string;
  readonly image?: ShownImage;
}

/** Why what was read cannot be shown, in a sentence. */
interface Unseen {
  readonly problem: string;
}

interface Attached {
  readonly content: Uint8Array;
  readonly size: number;
}

interface Look<N extends LookToolName> {
  /** The tool of the session. */
  readonly tool: string;
  /** `path` is that of the machine. */
  input(input: FileInput<N>, path: string): object;
  tell(value: object, path: string): Seen | Unseen;
}

/** As base64 it has a third more, and no provider takes more than 5 MiB of that. */
const MOST_IMAGE_BYTES = 3.75 * (1 << 20);
const MOST_IMAGE_SIDE = 8000;

/** Values are those that the tool of the session answers with. */
const LOOKS: { readonly [N in LookToolName]: Look<N> } = {
  read_file: {
    tool: "readFile",
    input: (input, path) => ({ ...input, path }),
    tell: (value) => ({ text: lookTexts.tellLines(value as ReadLines) }),
  },
  list_dir: {
    tool: "listDir",
    input: (input, path) => ({ ...input, path }),
    tell: (value) => ({ text: lookTexts.tellFolder(value as ListedFolder) }),
  },
  grep: {
    tool: "grep",
    input: ({ ignore_case: ignoreCase, ...input }, path) => ({ ...input, ignoreCase, path }),
    tell: (value) => ({ text: lookTexts.tellFound(value as FoundLines) }),
  },
  view_image: {
    tool: "attachFile",
    input: (_, path) => ({ path }),
    tell: (value, path) => tellImage(value as Attached, path),
  },
};

export function isLookTool(name: string): name is LookToolName {
  return Object.hasOwn(LOOKS, name);
}

/** Runs a call of one of them. */
export async function runLook(
  { call, name }: { readonly call: ToolCall; readonly name: LookToolName },
  context: ToolContext,
  sandbox: ThreadSandbox,
): Promise<ToolOutcome> {
  const read = readFileInput(name, call.input);
  if ("refusal" in read) return refuseCall(call, read.refusal, context);
  const begun = context.now();
  const item = startToolUse(call, context);
  const end = (ended: Pick<ToolUse, "status" | "image" | "receiptId" | "denial">, text: string) => {
    const durationMs = Math.max(0, context.now() - begun);
    const told: ToolUse = { ...item, ...ended, durationMs, call: { ...item.call, output: text } };
    context.port.emit({ kind: "itemCompleted", item: told, atMs: context.now() });
    return { item: told, next: context.port.signal.aborted ? "stop" : "goOn" } as const;
  };
  try {
    const path = pathToRead(read.input.path ?? ".", context.frame);
    const looked = await look({ name, input: read.input, path }, item, { context, sandbox });
    const { seen, receiptId } = looked;
    if ("problem" in seen) {
      return end({ ...FAILED, receiptId, denial: null }, seen.problem);
    }
    const { text, image = null } = seen;
    return end({ status: "completed", image, receiptId, denial: null }, text);
  } catch (error) {
    const looked = { name, path: read.input.path ?? "." };
    const told = await tellFailure(error, looked, { context, sandbox });
    const { sentence, receiptId, isDenied } = told;
    return end({ ...FAILED, receiptId, denial: isDenied ? sentence : null }, sentence);
  }
}

const FAILED = { status: "failed", image: null } as const;

async function look<N extends LookToolName>(
  { name, input, path }: { readonly name: N; readonly input: FileInput<N>; readonly path: string },
  { id }: ToolUse,
  { context, sandbox }: { readonly context: ToolContext; readonly sandbox: ThreadSandbox },
): Promise<{ readonly seen: Seen | Unseen; readonly receiptId: string | null }> {
  const { frame, turn, port } = context;
  const { tool, input: given, tell } = LOOKS[name];
  const { value, notice } = await sandbox.use(frame, (session) =>
    session.tools.execute({
      tool,
      input: given(input, path),
      signal: port.signal,
      ids: { turn, call: id },
    }),
  );
  const seen = tell(value, path);
  const receiptId = receiptOf(value);
  if ("problem" in seen || notice === null) return { seen, receiptId };
  return { seen: { ...seen, text: `[${notice}]\n${seen.text}` }, receiptId };
}

function receiptOf(value: SessionOutcome["value"]): string | null {
  return "receiptId" in value && typeof value.receiptId === "string" ? value.receiptId : null;
}

/** In the words of the tool that the model knows. */
async function tellFailure(
  error: unknown,
  { name, path }: { readonly name: LookToolName; readonly path: string },
  { context, sandbox }: { readonly context: ToolContext; readonly sandbox: ThreadSandbox },
): Promise<TellableFailure> {
  const { frame, port } = context;
  const { message, receiptId = null } = toldFailure(error);
  const at = () => ({ verb: "read", path: pathToRead(path, frame), frame }) as const;
  if (isForbidden(error)) {
    const sight = { sandbox, signal: port.signal };
    return { sentence: await denialSentence(error, at(), sight), receiptId, isDenied: true };
  }
  const sentence = message.replace(`run "${LOOKS[name].tool}"`, `call "${name}"`);
  const isNothing = error instanceof SessionError && error.code === "notFound";
  const note = isNothing ? hidingNote(at()) : "";
  return { sentence: sentence + note, receiptId, isDenied: note !== "" };
}

interface TellableFailure {
  readonly sentence: string;
  readonly receiptId: string | null;
  readonly isDenied: boolean;
}

function tellImage({ content, size }: Attached, path: string): Seen | Unseen {
  const unseen = (problem: string) => ({ problem: `Cannot show "${path}": ${problem}` });
  if (size > MOST_IMAGE_BYTES) {
    return unseen(`it has ${size} bytes, expected at most ${MOST_IMAGE_BYTES}`);
  }
  const picture = pictureOf(content);
  if (picture === undefined) return unseen("it is no whole png, jpeg, gif or webp, expected one");
  const { mimeType, width, height } = picture;
  if (Math.max(width, height) > MOST_IMAGE_SIDE) {
    const most = `at most ${MOST_IMAGE_SIDE} on a side`;
    return unseen(`it has ${width} x ${height} pixels, expected ${most}`);
  }
  const base64 = Buffer.from(content).toString("base64");
  return { text: `${mimeType}, ${width} x ${height}, ${size} bytes`, image: { mimeType, base64 } };
}
