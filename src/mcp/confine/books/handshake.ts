/**
 * What a client told its server for the length of the connection.
 *
 * A server that takes another's place is told the same. Only what was answered
 * with a result counts: the next server must not be asked what this one refused.
 */

import { isObject } from "../../is-object.ts";
import type { Request } from "../lines/line.ts";
import { memberText } from "../lines/member-text.ts";

/** A request whose success has to be remembered. */
export interface Lasting {
  readonly method: string;
  readonly params: string;
  /** What is subscribed to, where it is that. */
  readonly uri?: string;
}

const LASTING = ["initialize", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

export class Handshake {
  #initialize: string | undefined;
  #isInitialized = false;
  #level: string | undefined;
  readonly #subscriptions = new Map<string, string>();

  /** What of a request has to be kept until it is answered. */
  static lasting({ method, params, text }: Request): Lasting | undefined {
    if (!LASTING.includes(method)) return undefined;
    const uri = isObject(params) && typeof params.uri === "string" ? params.uri : undefined;
    const written = memberText(text, "params") ?? "{}";
    return { method, params: written, ...(uri !== undefined && { uri }) };
  }

  /** The params of `initialize`, where the client has greeted. */
  get greeting(): string | undefined {
    return this.#initialize;
  }

  /** The client begins again. */
  forget(): void {
    this.#initialize = undefined;
    this.#isInitialized = false;
    this.#level = undefined;
    this.#subscriptions.clear();
  }

  initialized(): void {
    this.#isInitialized = true;
  }

  succeeded({ method, params, uri }: Lasting): void {
    if (method === "initialize") this.#initialize = params;
    if (method === "logging/setLevel") this.#level = params;
    if (uri === undefined) return;
    if (method === "resources/subscribe") this.#subscriptions.set(uri, params);
    if (method === "resources/unsubscribe") this.#subscriptions.delete(uri);
  }

  /** What follows the greeting; each request gets its id from `nextId`. */
  rest(nextId: () => string): string[] {
    if (!this.#isInitialized) return [];
    const request = (method: string, params: string) => requestText(nextId(), method, params);
    return [
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      ...(this.#level === undefined ? [] : [request("logging/setLevel", this.#level)]),
      ...[...this.#subscriptions.values()].map((one) => request("resources/subscribe", one)),
    ];
  }
}

/** A request of ours. */
export function requestText(id: string, method: string, params: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
}
