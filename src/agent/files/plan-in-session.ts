import type { ThreadSandbox } from "../sandbox/thread-sandbox.ts";
import type { ToolCall, ToolContext } from "../tools/tool.ts";
import { denialSentence, isForbidden } from "./denial-sentence.ts";
import { hidingNote } from "./hiding-note.ts";
import { pathAt } from "./path-at.ts";
import { type ChangeToolName, planChange } from "./plan-change.ts";
import type { PlannedFile } from "./planned-file.ts";

/** Of all files of a call together, as they are: as much as a call may bring. */
const MOST_BYTES = 8 << 20;

/** What would be changed, with the files as the sandbox of the thread shows them; or why nothing can be. */
export async function planInSession(
  { call, name }: { readonly call: ToolCall; readonly name: ChangeToolName },
  { frame, port: { signal } }: ToolContext,
  sandbox: ThreadSandbox,
): Promise<readonly PlannedFile[] | string> {
  let [last, size, isSeen] = ["", 0, true];
  try {
    return await sandbox.use(frame, (session) =>
      planChange(name, call.input, {
        at: (path) => pathAt(path, frame),
        read: async (path) => {
          last = path;
          const bytes = await session.workspace.readFileToBuffer({ path, signal });
          isSeen = bytes !== null;
          size += bytes?.length ?? 0;
          refuseLarge(path, size);
          return bytes;
        },
      }),
    );
  } catch (error) {
    const attempt = { verb: "read", opens: "write", path: last, frame } as const;
    const sentence = await denialSentence(error, attempt, { sandbox, signal });
    const note = isSeen || isForbidden(error) ? "" : hidingNote(attempt);
    return sentence.replace('run "editFile"', `call "${name}"`) + note;
  }
}

/** They are shown, kept and compared as a whole, in the process that serves everybody else. */
function refuseLarge(path: string, size: number): void {
  if (size <= MOST_BYTES) return;
  const what = `with it, the files of the call have ${size} bytes, expected at most ${MOST_BYTES}`;
  throw new Error(`Cannot change "${path}": ${what}. A command can change it`);
}
