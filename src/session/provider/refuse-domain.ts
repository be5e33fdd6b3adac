import { attemptError } from "./attempt.ts";

/** What listens in a sandbox is for its own commands: its network is closed, or it is not the sandbox's to open. */
export function refuseDomain(port: number): never {
  const what = "the sandbox has no address for others, expected a command in it to ask";
  throw attemptError(["unsupported", what], { verb: "open port", thing: `${port}`, work: "look" });
}
