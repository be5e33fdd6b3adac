import type { IncomingHttpHeaders, ServerResponse } from "node:http";

/** Where the SDK thinks that it sends to. */
export const SERVICE = "https://vercel.com/api";

/** A request as it arrived. */
export interface TwinRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

export function reply(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** Text that must not be shown to anybody. */
export const SECRET_TEXT = "already exists: https://secret.example/?key=1";

export function refuse(response: ServerResponse, status: number, code: string): void {
  reply(response, { error: { code, message: SECRET_TEXT } }, status);
}
