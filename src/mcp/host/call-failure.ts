import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { McpError, type McpErrorCode } from "../mcp-error.ts";

/** Marks an error that this host made of an answer that it could not read. No server can say it. */
export const UNREADABLE = Symbol("unreadable answer");

/** How far a request came before it failed. */
export interface FailedRequest {
  /** Names it in messages, such as `call tool "read" of MCP server "files"`. */
  readonly what: string;
  readonly sent: boolean;
  /** Whether its caller gave up. */
  readonly cancelled: boolean;
  /** Whether the connection was closed from this side. */
  readonly closed: boolean;
  /** What a server said, as it is told on. */
  readonly told: (text: string) => string;
}

/** What became of a request that failed. */
export function callFailure(error: unknown, request: FailedRequest): McpError {
  if (error instanceof McpError) return error;
  const code = codeOf(error, request);
  const said = error instanceof Error ? error.message : String(error);
  const reason = request.told(code === "badAnswer" ? said.replace(LIST, "") : said);
  return new McpError(code, `Cannot ${request.what}: ${SENTENCES[code] ?? ""}${reason}`, {
    cause: error,
  });
}

/** What a reader has to say of every member; nobody reads that. */
const LIST = /: \[\n[\s\S]*$/;

/** Whether the connection is of no more use after a failure. */
export function breaksLink(error: unknown): boolean {
  if (error instanceof McpError || error instanceof ProtocolError) return false;
  return !(error instanceof SdkError) || error instanceof SdkHttpError || isClosed(error);
}

const SENTENCES: Partial<Record<McpErrorCode, string>> = {
  notSent: "it was not sent: ",
  outcomeUnknown: "it was sent, whether it ran is not known, and it is not sent again: ",
  cancelled: "it was cancelled: ",
  timedOut: "there was no answer in time: ",
  refused: "the server answered with an error: ",
  badAnswer: "its answer cannot be read: ",
};

function codeOf(error: unknown, { sent, cancelled, closed }: FailedRequest): McpErrorCode {
  if (cancelled) return "cancelled";
  if (closed) return sent ? "outcomeUnknown" : "closed";
  if (error instanceof ProtocolError) return answeredCode(error);
  if (!sent) return "notSent";
  // The request was turned away as a whole; a fault of the server may come after it ran.
  if (error instanceof SdkHttpError) return error.data.status < 500 ? "refused" : "outcomeUnknown";
  if (!(error instanceof SdkError) || isClosed(error)) return "outcomeUnknown";
  return error.code === SdkErrorCode.RequestTimeout ? "timedOut" : "badAnswer";
}

function answeredCode({ data }: ProtocolError): McpErrorCode {
  return data === UNREADABLE ? "badAnswer" : "refused";
}

function isClosed({ code }: SdkError): boolean {
  return (
    code === SdkErrorCode.ConnectionClosed ||
    code === SdkErrorCode.NotConnected ||
    code === SdkErrorCode.SendFailed
  );
}
