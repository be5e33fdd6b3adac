/**
 * Requests that a client has this executor make, from where it is.
 *
 * Nothing is sent unless the operator allows it. An answer is either buffered,
 * within bounds, or streamed at the pace of the client after the reply.
 */
import type { IncomingMessage } from "node:http";
import { afterAnswer, type Handlers, RpcError } from "../../../rpc/index.ts";
import type { httpMethods } from "../../protocol/http-methods.ts";
import { bodyParts, wholeBody } from "./body-parts.ts";
import { Deadline } from "./deadline.ts";
import type { Variables } from "./header-variable.ts";
import type { BodyStream, HttpConnection } from "./http-connection.ts";
import { describeFailure } from "./http-failure.ts";
import { type HttpParams, type PlannedRequest, readHttpRequest } from "./read-http-request.ts";
import { sendRequest } from "./send-request.ts";

/** Whether clients may have requests made; with it the variables their headers may name. */
export type HttpAccess =
  | { readonly kind: "refused" }
  | { readonly kind: "allowed"; readonly env: Variables };

/** What the handlers need of a connection. */
export interface HttpContext {
  readonly http: HttpConnection;
}

/** What a client may do with HTTP. */
export function httpHandlers(access: HttpAccess): Handlers<typeof httpMethods, HttpContext> {
  return {
    async request(params, { http }, { signal }) {
      if (access.kind === "refused") throw notAllowed();
      const request = readHttpRequest(params, access.env);
      const stream = params.streamResponse ? http.open(params.requestId) : undefined;
      const others = stream === undefined ? [signal] : [signal, stream.signal];
      const deadline = new Deadline(params.timeoutMs ?? undefined, others);
      try {
        return await answer({ params, request, stream, deadline });
      } catch (fault) {
        const why = describeFailure(fault, deadline.signal);
        stream?.drop();
        deadline.release();
        throw new RpcError("internalError", `http/request failed: ${why}`, { cause: fault });
      }
    },
  };
}

function notAllowed(): RpcError {
  const why = "the operator of this executor did not allow it, expected --allow-http";
  return new RpcError("methodNotFound", `Cannot use "http/request": ${why}`);
}

interface Exchange {
  readonly params: HttpParams;
  readonly request: PlannedRequest;
  readonly stream: BodyStream | undefined;
  readonly deadline: Deadline;
}

async function answer({ params, request, stream, deadline }: Exchange) {
  const followsRedirects = params.redirectPolicy === "follow";
  const response = await sendRequest(request, { followsRedirects, signal: deadline.signal });
  const head = { status: response.statusCode ?? 0, headers: headersOf(response) };
  if (stream === undefined) {
    const body = await wholeBody(response);
    deadline.release();
    return { ...head, bodyBase64: body.toString("base64") };
  }
  afterAnswer(() => void forward(response, stream, deadline));
  return { ...head, bodyBase64: "" };
}

/** Sends a body on, and says how it ended. Never rejects: a client that left cannot be told. */
async function forward(
  response: IncomingMessage,
  stream: BodyStream,
  deadline: Deadline,
): Promise<void> {
  let error: string | null = null;
  try {
    for await (const part of bodyParts(response)) await stream.send(part);
  } catch (fault) {
    error = describeFailure(fault, deadline.signal);
  }
  deadline.release();
  await stream.end(error).catch(() => {});
}

function headersOf({ rawHeaders }: IncomingMessage): { name: string; value: string }[] {
  return Array.from({ length: rawHeaders.length / 2 }, (_, index) => ({
    name: (rawHeaders[2 * index] ?? "").toLowerCase(),
    value: rawHeaders[2 * index + 1] ?? "",
  }));
}
