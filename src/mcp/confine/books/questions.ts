/**
 * What servers asked the client, under ids that no other server's question has.
 *
 * Each server numbers its questions from the same start. The answer to one that
 * is gone must not reach the next as an answer to another question.
 */

import { isObject } from "../../is-object.ts";
import type { Action } from "../confine-rules.ts";
import type { Answer, Notification, Request } from "../lines/line.ts";
import { memberText, withMember } from "../lines/member-text.ts";

/** More than a client that answers ever leaves open. What is kept of them must not grow with what a server sends. */
const MOST_OPEN = 1000;
const MOST_ID = 1024;

export class Questions {
  /** By the id that the client sees; the server's own as it wrote it. */
  readonly #open = new Map<string, { readonly id: string; readonly idText: string }>();
  #count = 0;

  /** The question as the client gets it, or what is said of one that it does not get. */
  ask({ id, idText, text }: Request): Action {
    if (Math.max(id.length, idText.length) > MOST_ID) {
      return noise(`its id has more than ${MOST_ID} characters`);
    }
    if (this.#open.size === MOST_OPEN) return noise(`${MOST_OPEN} others are not answered yet`);
    this.#count += 1;
    const outer = JSON.stringify(`writ-${this.#count}`);
    this.#open.set(outer, { id, idText });
    return { kind: "toClient", text: withMember(text, "id", outer) };
  }

  /** The answer as the server gets it; nothing where it asked no such thing. */
  answer({ id, text }: Answer): string | undefined {
    const asked = this.#open.get(id);
    if (asked === undefined) return undefined;
    this.#open.delete(id);
    return withMember(text, "id", asked.idText);
  }

  /** A question that the server takes back, as the client gets it. */
  cancel({ params, text }: Notification): string | undefined {
    if (!isObject(params)) return undefined;
    const id = JSON.stringify(params.requestId);
    const [outer] = [...this.#open].find(([, asked]) => asked.id === id) ?? [];
    if (outer === undefined) return undefined;
    this.#open.delete(outer);
    return withMember(text, "params", withMember(memberText(text, "params"), "requestId", outer));
  }

  /** The ids of all that is open, which from now on nobody waits for. */
  clear(): string[] {
    const ids = [...this.#open.keys()];
    this.#open.clear();
    return ids;
  }
}

function noise(why: string): Action {
  return { kind: "noise", text: `Cannot pass on a request of the server: ${why}` };
}
