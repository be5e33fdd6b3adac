/**
 * Sends what was planned, hop by hop.
 *
 * Each hop has a connection of its own, so that a reused one that is about to
 * close cannot fail a request, and no proxy is taken from the environment.
 */
import http, { type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import https from "node:https";
import { HttpFailure } from "./http-failure.ts";
import { planRedirect } from "./plan-redirect.ts";
import type { PlannedRequest } from "./read-http-request.ts";

const MAX_REDIRECTS = 10;

export interface SendOptions {
  readonly followsRedirects: boolean;
  /** Ends the connection, also while the body is read. */
  readonly signal: AbortSignal;
}

/** Settles with the head of the last answer; its body is still to be read. */
export async function sendRequest(
  request: PlannedRequest,
  { followsRedirects, signal }: SendOptions,
): Promise<IncomingMessage> {
  let next = request;
  for (let redirects = 0; ; redirects += 1) {
    const response = await sendOnce(next, signal);
    const { statusCode: status = 0, headers } = response;
    const then = followsRedirects
      ? planRedirect(next, { status, location: headers.location })
      : undefined;
    if (then === undefined) return response;
    response.destroy();
    if (redirects === MAX_REDIRECTS) {
      throw new HttpFailure(`it was redirected more than ${MAX_REDIRECTS} times`);
    }
    next = then;
  }
}

function sendOnce(
  { method, url, headers, body }: PlannedRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { request } = url.protocol === "https:" ? https : http;
  const sent = request(url, {
    method,
    headers: { ...linesOf(headers), ...(body && { "Content-Length": body.length }) },
    agent: false,
    signal,
  });
  sent.on("response", resolve);
  sent.on("error", reject);
  // An answer nobody asked for, such as a change of protocol, ends in nothing but this.
  sent.on("close", () => reject(new HttpFailure("the connection ended without an answer")));
  sent.end(body);
  return promise;
}

/** One line each, also where a name is given more than once. */
function linesOf(headers: PlannedRequest["headers"]): OutgoingHttpHeaders {
  const byName = Map.groupBy(headers, ({ name }) => name.toLowerCase());
  return Object.fromEntries(
    [...byName].map(([name, same]) => {
      const [only, ...more] = same.map(({ value }) => value);
      return [name, more.length === 0 ? only : [only ?? "", ...more]];
    }),
  );
}
