/** Requests that the executor makes for a client, from where it is; only where its operator allows that. */
import { z } from "zod";
import { method, notification } from "../../rpc/index.ts";

const header = z.object({ name: z.string(), value: z.string() });

export const httpMethods = {
  request: method("http/request", {
    summary: "Make a request over HTTP from the executor",
    params: z.object({
      method: z.string(),
      url: z.string().describe("Absolute, http or https."),
      headers: z
        .array(
          header.extend({
            valueEnvVar: z
              .string()
              .nullish()
              .describe("A variable of the executor whose value is put after `value`."),
          }),
        )
        .default([]),
      bodyBase64: z.string().nullish(),
      timeoutMs: z.int().nonnegative().nullish().describe("For all of it, the body included."),
      redirectPolicy: z.enum(["follow", "stop"]).default("follow"),
      // Repeated with every part of a body.
      requestId: z.string().max(1024),
      streamResponse: z
        .boolean()
        .default(false)
        .describe("Answer with the head, and send the body after it in `http/request/bodyDelta`."),
    }),
    result: z.object({ status: z.int(), headers: z.array(header), bodyBase64: z.string() }),
  }),
};

export const httpNotifications = {
  bodyDelta: notification("http/request/bodyDelta", {
    summary: "The next part of a body that is sent as it comes",
    params: z.object({
      requestId: z.string(),
      seq: z.int().positive().describe("From 1, without a gap."),
      deltaBase64: z.string().describe("At most 1 MiB; empty in the last one."),
      done: z.boolean().describe("The last one."),
      error: z.string().nullable().describe("Why the body ended before its end."),
    }),
  }),
};
