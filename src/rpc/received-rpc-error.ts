import { RpcError } from "./rpc-error.ts";

/**
 * What another peer answered a call with. Its text was meant for this program
 * only: a handler that lets it escape sends an internal error, and one that wants
 * to pass it on throws an {@link RpcError} of its own.
 */
export class ReceivedRpcError extends RpcError {}
