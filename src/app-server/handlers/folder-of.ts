import path from "node:path";
import { RpcError } from "../../rpc/index.ts";
import type { AskedSettings } from "../threads/begin-settings.ts";

export interface AskedFolder extends Pick<AskedSettings, "environments"> {
  readonly cwd?: string | null | undefined;
}

/**
 * The folder that a request puts a thread in. One that it gives for this machine as an environment is
 * the same folder by another name; two that differ are refused.
 */
export function folderOf(asked: AskedFolder, base: string): string {
  const here = asked.environments?.find(({ environmentId }) => environmentId === "local")?.cwd;
  const cwd = path.resolve(base, asked.cwd ?? here ?? "");
  if (here === undefined || path.resolve(here) === cwd) return cwd;
  const what = `\`cwd\` is "${cwd}" and that of the environment \`local\` is "${here}"`;
  throw new RpcError("invalidRequest", `Cannot tell the folder: ${what}, expected one`);
}
