/**
 * What a server has shown about itself when the session was opened.
 *
 * Servers that came before enforcement take the same `sandbox` member and do
 * nothing with it. Only what a server says by itself tells one from the other.
 */
import type { z } from "zod";
import type { sessionMethods, WritPromise } from "../protocol/session-methods.ts";

export type ServerTrust =
  /** Ours: what others have no words for may be sent, and is kept or refused. */
  | { readonly kind: "writ"; readonly promise: WritPromise; readonly system: string | undefined }
  /** Of others, of a kind that enforces what the common wire can say. */
  | { readonly kind: "enforcing" }
  /** Nothing tells that it would enforce anything. */
  | { readonly kind: "unproven" };

type Introduction = z.output<typeof sessionMethods.initialize.result>;

/** Reads the answer to `initialize`. */
export function serverTrust({ writ, environmentInfo }: Introduction): ServerTrust {
  if (writ !== undefined) {
    return { kind: "writ", promise: writ, system: environmentInfo?.platformOs };
  }
  return { kind: environmentInfo === undefined ? "unproven" : "enforcing" };
}

/** Whether a session was taken up again by the server that it was opened on. */
export function isSameServer(before: ServerTrust, now: ServerTrust): boolean {
  if (before.kind !== now.kind) return false;
  if (before.kind !== "writ" || now.kind !== "writ") return true;
  return before.promise.executorId === now.promise.executorId;
}
