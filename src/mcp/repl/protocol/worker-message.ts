/**
 * The words between a REPL and its worker: version 6 of the protocol that
 * mcp-repl speaks, so that workers written for it run here.
 *
 * One JSON object a line. A member or a type that is not listed is an error:
 * whoever sends one means something that would be lost.
 */
import { z } from "zod";

const PROTOCOL = { name: "mcp-repl-worker", version: 6 } as const;

/** Far more than the 8 KiB that a text may have, and little to decode at once. */
export const MOST_TEXT_CHARS = 1 << 20;
/** A name for a picture, of which many are remembered. */
const MOST_SOURCE_CHARS = 1024;
const IMAGE_TYPE = /^image\/[\w.+-]{1,64}$/;

const Ready = z.strictObject({
  type: z.literal("worker_ready"),
  protocol: z.strictObject({
    name: z.literal(PROTOCOL.name),
    version: z.literal(PROTOCOL.version),
  }),
  worker: z.strictObject({ name: z.string(), version: z.string() }),
  capabilities: z.strictObject({ images: z.boolean() }),
});

/** What a worker says. */
export const WorkerMessage = z.discriminatedUnion("type", [
  Ready,
  z.strictObject({ type: z.literal("ready") }),
  z.strictObject({ type: z.literal("input_wait"), prompt: z.string() }),
  z.strictObject({ type: z.literal("input_line"), prompt: z.string(), text: z.string() }),
  z.strictObject({
    type: z.literal("output_text"),
    stream: z.enum(["stdout", "stderr"]),
    data_b64: z.base64().max(MOST_TEXT_CHARS),
    is_continuation: z.boolean().optional(),
  }),
  z.strictObject({
    type: z.literal("output_image"),
    mime_type: z.string().regex(IMAGE_TYPE),
    data_b64: z.base64(),
    is_update: z.boolean(),
    source: z.string().max(MOST_SOURCE_CHARS).nullish(),
  }),
  z.strictObject({
    type: z.literal("session_end"),
    reason: z.enum(["shutdown", "reset", "runtime_exit", "crash", "protocol_error"]).nullish(),
    message: z.string().nullish(),
  }),
]);
export type WorkerMessage = z.infer<typeof WorkerMessage>;

/** What a worker is told. */
export type ServerMessage =
  | { readonly type: "input_batch"; readonly input: string }
  | { readonly type: "interrupt" }
  | { readonly type: "shutdown" };
