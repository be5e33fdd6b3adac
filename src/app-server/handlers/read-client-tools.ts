import type { z } from "zod";
import { type ClientTool, clientToolName } from "../../agent/index.ts";
import { RpcError } from "../../rpc/index.ts";
import type { threadMethods } from "../protocol/thread-methods.ts";

type Specs = z.output<(typeof threadMethods.start)["params"]>["dynamicTools"];

const MOST_TOOLS = 256;

/** The tools that a client brings. Throws where two have one name. */
export function readClientTools(specs: Specs): readonly ClientTool[] {
  const tools = (specs ?? []).flatMap((spec) =>
    spec.type === "function"
      ? [toolOf(spec, null)]
      : spec.tools.map((tool) => toolOf(tool, spec.name)),
  );
  if (tools.length > MOST_TOOLS) {
    throw refused(`there are ${tools.length} of them, expected at most ${MOST_TOOLS}`);
  }
  // With and without a namespace: of two with one name a model could call the last alone.
  const names = tools.map(clientToolName);
  if (new Set(names).size < names.length) throw refused("two have the same name");
  return tools;
}

function toolOf(
  { name, description, inputSchema }: Omit<ClientTool, "namespace">,
  namespace: string | null,
): ClientTool {
  return { namespace, name, description, inputSchema };
}

function refused(what: string): RpcError {
  return new RpcError("invalidRequest", `Cannot use \`dynamicTools\`: ${what}`);
}
