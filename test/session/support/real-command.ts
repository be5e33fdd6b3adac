import { spawnSync } from "node:child_process";
import type { CommandRequest } from "../../../src/session/provider/provided-command.ts";
import type { CommandScript } from "./fake-command.ts";

/** Does in `folder`, without any sandbox, what a provider was asked to run: exactly its argv and variables. */
export function realCommand(folder: string): (request: CommandRequest) => CommandScript {
  return ({ argv: [program, ...rest], env }) => {
    const { stdout, stderr, status } = spawnSync(program, rest, {
      ...{ cwd: folder, stdio: ["ignore", "pipe", "pipe"], env: { PATH: "/usr/bin:/bin", ...env } },
    });
    return { stdout, stderr: stderr.toString(), exitCode: status ?? 1 };
  };
}
