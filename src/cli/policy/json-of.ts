import { JSON_LIMITS, JsonError, readJson } from "../../rpc/index.ts";
import { UsageError } from "../command.ts";

/** Reads JSON; `what` is the option or file that holds it, which a person has to know where it is none. */
export function jsonOf(text: string, what: string): unknown {
  try {
    return readJson(text, JSON_LIMITS);
  } catch (cause) {
    if (!(cause instanceof JsonError)) throw cause;
    throw new UsageError(
      cause.message.replace(/^Cannot read JSON/, () => `Cannot read ${what}`),
      {
        cause,
      },
    );
  }
}
