import type { ClientToolContent } from "../items/client-tool-call.ts";

/** A tool that a client brought when it started the thread. */
export interface ClientTool {
  readonly namespace: string | null;
  readonly name: string;
  readonly description: string;
  /** A JSON schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ClientCall {
  readonly callId: string;
  readonly namespace: string | null;
  readonly tool: string;
  readonly arguments: unknown;
}

export interface ClientAnswer {
  readonly contentItems: readonly ClientToolContent[];
  readonly success: boolean;
}
