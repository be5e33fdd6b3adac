/** What the client is told of the server, and the server of the state. */

import { isObject } from "../../is-object.ts";
import { advertise } from "../../state/advertise.ts";
import { STATE_KEYS } from "../../state/state-keys.ts";
import { memberText, withMember, withoutMembers } from "./member-text.ts";

/** The methods whose results say what a server can do, one in each era of the protocol. */
export const INTRODUCTIONS: readonly string[] = ["initialize", "server/discover"];

/**
 * The introduction of a server with our word on the state in place of its own.
 * Where no state is read, none is asked for.
 */
export function withCapability(text: string, reads: boolean): string {
  const result = memberText(text, "result");
  if (!result?.startsWith("{")) return text;
  const told = memberText(result, "capabilities");
  let capabilities = told;
  for (const [place, names] of Object.entries(advertise())) {
    const said = memberText(capabilities, place);
    if (reads) {
      let all = said;
      for (const [name, value] of Object.entries(names)) {
        all = withMember(all, name, JSON.stringify(value));
      }
      capabilities = withMember(capabilities, place, all ?? "{}");
    } else if (said !== undefined) {
      capabilities = withMember(capabilities, place, withoutMembers(said, STATE_KEYS));
    }
  }
  if (capabilities === undefined || capabilities === told) return text;
  return withMember(text, "result", withMember(result, "capabilities", capabilities));
}

/** The message without what it says of the sandbox; nothing else of it changes. */
export function withoutState(text: string, params: unknown): string {
  const meta = isObject(params) ? params._meta : undefined;
  if (!isObject(meta) || !STATE_KEYS.some((key) => Object.hasOwn(meta, key))) return text;
  const written = memberText(text, "params");
  const kept = withoutMembers(memberText(written, "_meta") ?? "{}", STATE_KEYS);
  return withMember(text, "params", withMember(written, "_meta", kept));
}
