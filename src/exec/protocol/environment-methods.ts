/** What a client may know of the machine before it runs anything there. */
import { z } from "zod";
import { method } from "../../rpc/index.ts";

/** An answer is sent as it is, so nothing in it is changed by being read. */
const uri = z.string().describe("An absolute path as a `file:` URI.");

export const EnvironmentDescription = z
  .object({
    shell: z.object({ name: z.string(), path: z.string() }),
    cwd: uri.nullish(),
    temporaryDirectories: z.array(uri).optional(),
    tempDir: uri.optional(),
    userHomeDir: uri.optional(),
    platformOs: z.string().optional(),
    capabilities: z.record(z.string(), z.unknown()).default({}),
  })
  .meta({ id: "EnvironmentDescription", description: "The machine, as far as a client needs it." });
export type EnvironmentDescription = z.infer<typeof EnvironmentDescription>;

export const environmentMethods = {
  info: method("environment/info", {
    summary: "The shell, the folders and the abilities of this machine",
    result: EnvironmentDescription,
  }),
  status: method("environment/status", {
    summary: "Whether commands can be started",
    result: z.object({ status: z.literal("ready") }),
  }),
};
