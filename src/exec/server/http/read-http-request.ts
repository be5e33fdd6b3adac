/**
 * From the params of `http/request` to what will be sent.
 *
 * Whatever could change how the request is framed is refused: the length and the
 * connection are ours to say.
 */
import type { z } from "zod";
import { RpcError } from "../../../rpc/index.ts";
import type { httpMethods } from "../../protocol/http-methods.ts";
import { decodeBase64 } from "../decode-base64.ts";
import { readHeaderVariable, type Variables } from "./header-variable.ts";

export type HttpParams = z.output<typeof httpMethods.request.params>;

export interface PlannedHeader {
  readonly name: string;
  readonly value: string;
  /** Holds the value of a variable, which the client itself may not know. */
  readonly fromVariable: boolean;
}

/** One request, before it is sent. */
export interface PlannedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: readonly PlannedHeader[];
  readonly body: Buffer | undefined;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

/** Methods that open a tunnel, or have the other side repeat the headers. */
const REFUSED_METHODS = new Set(["CONNECT", "TRACE", "TRACK"]);

const OF_THE_CONNECTION = new Set([
  ...["connection", "keep-alive", "proxy-connection", "transfer-encoding"],
  ...["te", "trailer", "upgrade", "expect"],
]);

/** Headers of which a second one would be read differently by different servers. */
const ONLY_ONCE = ["host", "content-length"];

/** Reads a request; `env` is the environment of this executor. Throws `RpcError`. */
export function readHttpRequest(params: HttpParams, env: Variables): PlannedRequest {
  const method = readMethod(params.method);
  const url = readUrl(params.url);
  const body = readBody(params.bodyBase64 ?? undefined);
  const headers = params.headers.map((header) => readHeader(header, env));
  for (const name of ONLY_ONCE) refuseSecond(headers, name);
  const length = headers.find((header) => isNamed(header, "content-length"));
  if (length !== undefined && length.value !== String(body?.length ?? 0)) {
    throw refused('the header "content-length"', "it is not the length of the body");
  }
  return {
    method,
    url,
    headers: headers.filter((header) => !isNamed(header, "content-length")),
    body,
  };
}

function readMethod(text: string): string {
  const method = text.toUpperCase();
  if (!TOKEN.test(text)) throw refused("the request", "its method is not a word of HTTP");
  if (REFUSED_METHODS.has(method)) {
    throw refused("the request", `its method is ${method}, expected one that asks for a resource`);
  }
  return method;
}

function readUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw refused("the request", "its url is none, expected an absolute one");
  if (isHttp(url)) return url;
  const scheme = url.protocol.slice(0, -1);
  throw new RpcError(
    "invalidParams",
    `http/request only supports http and https URLs, got ${scheme}`,
  );
}

/** Whether requests can be made to such a URL. */
export function isHttp({ protocol }: URL): boolean {
  return protocol === "http:" || protocol === "https:";
}

function readBody(base64: string | undefined): Buffer | undefined {
  if (base64 === undefined) return undefined;
  return decodeBase64(base64, (why) => new RpcError("invalidParams", `bodyBase64: ${why}`));
}

function readHeader(
  { name, value: given, valueEnvVar }: HttpParams["headers"][number],
  env: Variables,
): PlannedHeader {
  if (!TOKEN.test(name)) throw refused("a header", "its name is not a word of HTTP");
  const what = `the header "${name}"`;
  if (OF_THE_CONNECTION.has(name.toLowerCase())) {
    throw refused(what, "it belongs to the connection, expected one of the request");
  }
  const fromVariable = valueEnvVar !== undefined && valueEnvVar !== null;
  const value = fromVariable ? given + readHeaderVariable(valueEnvVar, env) : given;
  if (!HEADER_VALUE.test(value)) {
    throw refused(what, "its value has a character that is neither visible ASCII nor a blank");
  }
  return { name, value, fromVariable };
}

function refuseSecond(headers: readonly PlannedHeader[], name: string): void {
  if (headers.filter((header) => isNamed(header, name)).length > 1) {
    throw refused(`the header "${name}"`, "it is given twice, expected once");
  }
}

function isNamed(header: PlannedHeader, name: string): boolean {
  return header.name.toLowerCase() === name;
}

function refused(what: string, why: string): RpcError {
  return new RpcError("invalidParams", `Cannot send ${what}: ${why}`);
}
