import type { ToolSource } from "../tools/tool.ts";
import { declarePermissionTool, PERMISSION_TOOL } from "./permission-input.ts";
import { runRequestPermissions } from "./request-permissions.ts";
import type { ThreadGrants } from "./thread-grants.ts";

/** The tool that asks for more; a thread that is not confined, or works nowhere, is not told of it. */
export function permissionTools(grants: ThreadGrants): ReturnType<ToolSource["openThread"]> {
  return {
    declarations: async ({ frame }) => {
      const isConfined = frame.environment !== null && frame.profile.type === "managed";
      return isConfined ? [declarePermissionTool()] : [];
    },
    has: (name) => name === PERMISSION_TOOL,
    run: (call, context) => runRequestPermissions(call, context, grants),
    endTurn: async () => {},
    close: async () => {},
  };
}
