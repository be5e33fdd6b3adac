/**
 * The edge of `environment/add`: where an exec-server is, and what is said to it.
 *
 * What identifies a client is for that server alone. It is refused where it would
 * travel in the open, and it is in no message that anybody reads.
 */
import type { z } from "zod";
import { RpcError, type WebSocketAddress } from "../../rpc/index.ts";
import type { environmentMethods } from "../protocol/environment-methods.ts";

export type EnvironmentAsk = z.output<typeof environmentMethods.add.params>;

export interface EnvironmentAddress {
  readonly where: WebSocketAddress;
  /** The address for messages to people: without what may be a secret in it. */
  readonly shown: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connectTimeoutMs: number;
}

/** What stands for this machine, and cannot be another. */
export const LOCAL_ENVIRONMENT = "local";

const DEFAULT_CONNECT_MS = 10_000;
const MOST_CONNECT_MS = 600_000;
const MOST_ID = 256;
const UNIX = "unix://";
/** Names are not among them: who answers to one is for others to say. */
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\])$/;
/** What a header can hold. */
const VISIBLE = /^[\x21-\x7e]+$/;

/** Reads the params. Throws `RpcError` in the words that clients of the protocol know. */
export function readEnvironment(asked: EnvironmentAsk): EnvironmentAddress {
  refuseId(asked.environmentId);
  if ((asked.skills?.required ?? []).length > 0) {
    throw refusal("required skills cannot be checked in an environment, expected none");
  }
  const { where, shown, isPrivate } = readUrl(asked.execServerUrl);
  const headers = headersOf(asked);
  if (Object.keys(headers).length > 0 && !isPrivate) {
    throw refusal(
      "headers would travel in the open, expected a wss:// url, a unix:// socket or a loopback address such as ws://127.0.0.1",
    );
  }
  const connectTimeoutMs = asked.connectTimeoutMs ?? DEFAULT_CONNECT_MS;
  return { where, shown, headers, connectTimeoutMs: Math.min(connectTimeoutMs, MOST_CONNECT_MS) };
}

function refuseId(id: string): void {
  if (id.trim() === "") throw refusal("environment id cannot be empty");
  if (id.length > MOST_ID) {
    throw refusal(`environment id has ${id.length} characters, expected at most ${MOST_ID}`);
  }
  if (id === LOCAL_ENVIRONMENT) throw refusal(`environment id \`${id}\` is reserved`);
}

interface ReadUrl extends Pick<EnvironmentAddress, "where" | "shown"> {
  /** Whether nobody between here and there reads along. */
  readonly isPrivate: boolean;
}

function readUrl(text: string): ReadUrl {
  const url = text.trim();
  if (url === "" || url === "none") throw refusal("environment requires an exec-server url");
  if (url.startsWith(`${UNIX}/`)) {
    const path = url.slice(UNIX.length);
    return { where: { kind: "unix", path }, shown: url, isPrivate: true };
  }
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^wss?:$/.test(parsed.protocol)) {
    throw refusal("the exec-server url is no address, expected ws://, wss:// or unix:///");
  }
  const { protocol, host, pathname, hostname, username, password } = parsed;
  if (username !== "" || password !== "") {
    throw refusal("the exec-server url names a user, expected authBearerToken instead");
  }
  return {
    where: { kind: "url", url: parsed.href },
    shown: `${protocol}//${host}${pathname}`,
    isPrivate: protocol === "wss:" || LOOPBACK.test(hostname),
  };
}

function headersOf({ authBearerToken, websocketRequestId }: EnvironmentAsk) {
  const token = headerValue("authBearerToken", authBearerToken ?? undefined);
  const request = headerValue("websocketRequestId", websocketRequestId ?? undefined);
  return {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(request !== undefined && { "x-request-id": request }),
  };
}

function headerValue(member: string, value: string | undefined): string | undefined {
  if (value === undefined || VISIBLE.test(value)) return value;
  throw refusal(`${member} is empty or not printable, expected visible ASCII characters`);
}

function refusal(what: string): RpcError {
  return new RpcError("invalidRequest", `exec-server protocol error: ${what}`);
}
