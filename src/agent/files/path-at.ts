import { joinUri, nativeOfUri, PolicyError } from "../../policy/index.ts";
import type { TurnFrame } from "../turn-frame.ts";

/** A path of the model as the machine of the thread names it. Throws a sentence where it is none. */
export function pathAt(path: string, { cwd }: TurnFrame): string {
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
