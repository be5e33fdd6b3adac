/** Other machines that threads may run on. */
import { z } from "zod";
import { method } from "../../rpc/index.ts";

const ById = z.object({ environmentId: z.string() });

export const environmentMethods = {
  add: method("environment/add", {
    summary: "Name an exec-server; it is connected to when something needs it",
    experimental: true,
    params: z.object({
      environmentId: z.string(),
      execServerUrl: z.string().describe("`ws://`, `wss://` or `unix://`."),
      authBearerToken: z.string().nullish().describe("Only over wss, a socket or the loopback."),
      websocketRequestId: z.string().nullish().describe("Only over wss, a socket or the loopback."),
      connectTimeoutMs: z.int().nonnegative().nullish().describe("10 s when absent."),
      skills: z
        .object({ required: z.array(z.string()).nullish() })
        .nullish()
        .describe("Refused where it requires any: nothing checks them."),
    }),
    result: z.object({}),
  }),
  info: method("environment/info", {
    summary: "The shell and the folder of a machine; connects to it",
    experimental: true,
    params: ById,
    result: z.object({
      shell: z.object({ name: z.string(), path: z.string() }),
      cwd: z.string().nullable(),
    }),
  }),
  status: method("environment/status", {
    summary: "Whether a machine is connected; does not connect to it",
    experimental: true,
    params: ById,
    result: z.object({
      status: z.enum(["ready", "pending", "disconnected", "unknown"]),
      error: z.string().optional().describe("With `disconnected` and `unknown`."),
    }),
  }),
};
