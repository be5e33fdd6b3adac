import { HttpFailure } from "./http-failure.ts";
import { isHttp, type PlannedHeader, type PlannedRequest } from "./read-http-request.ts";

/** The part of an answer that can send a request elsewhere. */
export interface Redirection {
  readonly status: number;
  readonly location: string | undefined;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Headers that say who asks; whom they are for is the first server, not where it points. */
const CREDENTIAL = /auth|cookie|token|secret|api-?key|credential|session|signature/i;

/** Headers that describe a body. */
const OF_THE_BODY = /^content-/i;

/** Where the answer sends the request next, and what of it goes there; nothing if it is the last. */
export function planRedirect(
  request: PlannedRequest,
  { status, location }: Redirection,
): PlannedRequest | undefined {
  if (!REDIRECTS.has(status) || location === undefined) return undefined;
  const url = URL.parse(location, request.url.href);
  if (url === null) throw new HttpFailure("it was redirected to what is not a URL");
  if (!isHttp(url)) throw new HttpFailure("it was redirected to what is neither http nor https");
  const kept = request.headers.filter((header) => mayGoTo(url, request, header));
  const asked = changesToGet(request.method, status)
    ? {
        method: "GET",
        body: undefined,
        headers: kept.filter(({ name }) => !OF_THE_BODY.test(name)),
      }
    : { method: request.method, body: request.body, headers: kept };
  return { ...asked, url };
}

function mayGoTo(url: URL, from: PlannedRequest, { name, fromVariable }: PlannedHeader): boolean {
  if (url.origin === from.url.origin) return true;
  return !fromVariable && !CREDENTIAL.test(name) && name.toLowerCase() !== "host";
}

/** What browsers do, which servers rely on. */
function changesToGet(method: string, status: number): boolean {
  if (status === 303) return method !== "GET" && method !== "HEAD";
  return method === "POST" && (status === 301 || status === 302);
}
