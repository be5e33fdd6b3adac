import path from "node:path";
import { RpcError } from "../../rpc/index.ts";
import type { AskedSettings } from "../threads/begin-settings.ts";

type Asked = NonNullable<AskedSettings["environments"]>[number];

/** Throws unless every environment is there, once, with a folder. */
export function refuseEnvironments(
  { environments }: Pick<AskedSettings, "environments">,
  has: (id: string) => boolean,
): void {
  const asked = environments ?? [];
  for (const [index, one] of asked.entries()) {
    const isTwice = asked
      .slice(0, index)
      .some((other) => other.environmentId === one.environmentId);
    const what = problemWith(one, has) ?? (isTwice ? `duplicate ${named(one)}` : undefined);
    if (what !== undefined) throw new RpcError("invalidRequest", what);
  }
}

function problemWith(asked: Asked, has: (id: string) => boolean): string | undefined {
  const { environmentId: id, cwd } = asked;
  if (!has(id)) return `unknown ${named(asked)}`;
  if (path.isAbsolute(cwd)) return undefined;
  return `invalid cwd for environment \`${id}\`: it is relative, expected an absolute path`;
}

function named({ environmentId }: Asked): string {
  return `turn environment id \`${environmentId}\``;
}
