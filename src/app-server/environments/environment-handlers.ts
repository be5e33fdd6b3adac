import { ExecError } from "../../exec/index.ts";
import { type Handlers, RpcError } from "../../rpc/index.ts";
import type { environmentMethods } from "../protocol/environment-methods.ts";
import type { Environments } from "./create-environments.ts";

/** What a client may do with environments. */
export function environmentHandlers(
  environments: Environments,
): Handlers<typeof environmentMethods, unknown> {
  return {
    add(asked) {
      environments.add(asked);
      return {};
    },
    async info({ environmentId }) {
      try {
        const { shell, cwd } = await environments.describe(environmentId);
        return { shell: { name: shell.name, path: shell.path }, cwd: cwd ?? null };
      } catch (error) {
        throw infoError(error, environmentId);
      }
    },
    status: ({ environmentId }) => environments.statusOf(environmentId),
  };
}

function infoError(cause: unknown, id: string): unknown {
  if (!(cause instanceof ExecError)) return cause;
  if (cause.code === "invalidRequest")
    return new RpcError("invalidRequest", cause.message, { cause });
  const what = `failed to get info for environment \`${id}\`: ${cause.message}`;
  return new RpcError("internalError", what, { cause });
}
