import { joinUri, nativeOfUri, PolicyError } from "../../policy/index.ts";
import { onShelf } from "../../session/index.ts";
import type { TurnFrame } from "../turn-frame.ts";

/** The same for what is only looked at: a path on the shelf is left to whoever knows where that is. */
export function pathToRead(path: string, frame: TurnFrame): string {
  return onShelf(path) === undefined ? pathAt(path, frame) : path.trim();
}

/** A path of the model as the machine of the thread names it. Throws a sentence where it is none. */
export function pathAt(path: string, { cwd }: TurnFrame): string {
  if (onShelf(path) !== undefined) {
    const what = "what lies on the shelf is only read, expected a path of another place";
    throw new Error(`Cannot use ${JSON.stringify(path)}: ${what}`);
  }
  if (/^~(?:\/|$)/.test(path)) {
    const what = 'no home is put in for "~" here, expected an absolute path';
    throw new Error(`Cannot use ${JSON.stringify(path)}: ${what} or "./~"`);
  }
  const refusal = (cause?: unknown) =>
    new Error(`Cannot use ${JSON.stringify(path)}: it is no path there, expected one`, { cause });
  try {
    const native = nativeOfUri(joinUri(cwd, path));
    if (native !== undefined) return native;
  } catch (error) {
    if (error instanceof PolicyError) throw refusal(error);
    throw error;
  }
  throw refusal();
}
