/** What a client may know of the machine before it runs anything there. */
import { z } from "zod";
import { PathUri } from "../../policy/index.ts";
import { method } from "../../rpc/index.ts";

export const EnvironmentDescription = z
  .object({
    shell: z.object({ name: z.string(), path: z.string() }),
    cwd: PathUri.nullish(),
    temporaryDirectories: z.array(PathUri).optional(),
    tempDir: PathUri.optional(),
    userHomeDir: PathUri.optional(),
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
