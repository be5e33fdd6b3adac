import { z } from "zod";

const base64 = z.base64();

/** What a worker may say, and no member more. */
const WorkerMessage = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("worker_ready"),
    protocol: z.strictObject({ name: z.literal("mcp-repl-worker"), version: z.literal(6) }),
    worker: z.strictObject({ name: z.string(), version: z.string() }),
    capabilities: z.strictObject({ images: z.boolean() }),
  }),
  z.strictObject({ type: z.literal("ready") }),
  z.strictObject({ type: z.literal("input_wait"), prompt: z.string() }),
  z.strictObject({ type: z.literal("input_line"), prompt: z.string(), text: z.string() }),
  z.strictObject({
    type: z.literal("output_text"),
    stream: z.enum(["stdout", "stderr"]),
    data_b64: base64.max(Math.ceil(8192 / 3) * 4),
    is_continuation: z.boolean().optional(),
  }),
  z.strictObject({
    type: z.literal("output_image"),
    mime_type: z.string(),
    data_b64: base64,
    is_update: z.boolean(),
    source: z.string().optional(),
  }),
  z.strictObject({
    type: z.literal("session_end"),
    reason: z.enum(["shutdown", "reset", "runtime_exit", "crash", "protocol_error"]).optional(),
    message: z.string().optional(),
  }),
]);
export type WorkerMessage = z.infer<typeof WorkerMessage>;

/** Reads one line of a worker; throws on anything version 6 does not know. */
export function workerMessage(line: string): WorkerMessage {
  return WorkerMessage.parse(JSON.parse(line));
}
