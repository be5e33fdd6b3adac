/**
 * What `request_permissions` takes, for the model and for us.
 *
 * The names are those that models were taught by Codex. A member that is not
 * here is refused: it may have been meant as a restriction.
 */
import { z } from "zod";
import { type Grant, uriOfNative } from "../../policy/index.ts";
import { visibleText } from "../approvals/visible-text.ts";
import { pathAt } from "../files/path-at.ts";
import type { ToolDeclaration } from "../model/model.ts";
import { readToolInput } from "../tools/read-tool-input.ts";
import type { TurnFrame } from "../turn-frame.ts";

export const PERMISSION_TOOL = "request_permissions";

/** Whoever is asked must be able to read all of it. */
const MOST_PATHS = 32;

/** What a person agrees to must be what they see. */
function isShown(path: string): boolean {
  return path.trim() !== "" && visibleText(path) === path && !/[\n\t]/.test(path);
}

const paths = z
  .array(
    z
      .string()
      .max(4096)
      .refine(isShown, "it cannot be shown as it is, expected a path of plain characters"),
  )
  .max(MOST_PATHS)
  .nullish();

const Input = z.strictObject({
  reason: z.string().max(1000).nullish().describe("Why, for the user."),
  permissions: z.strictObject({
    network: z
      .strictObject({ enabled: z.boolean().nullish() })
      .nullish()
      .describe("enabled asks for the network."),
    file_system: z
      .strictObject({
        read: paths.describe("Files and folders to read; absolute, or from the thread's folder."),
        write: paths.describe("Files and folders to write, which includes reading."),
      })
      .nullish(),
  }),
});

export type PermissionInput = z.output<typeof Input>;

const LIMITS = { maxLength: 1 << 20, maxDepth: 16, maxValues: 1024 };

/** Reads the input of a call, or says in a sentence what is wrong with it. */
export function readPermissionInput(
  text: string,
): { readonly input: PermissionInput } | { readonly refusal: string } {
  return readToolInput({ tool: PERMISSION_TOOL, schema: Input, text, limits: LIMITS });
}

/** What is asked for, as the machine of the thread names it. Throws a sentence where that is no place there. */
export function grantOfInput({ permissions }: PermissionInput, frame: TurnFrame): Grant {
  const { network, file_system: files } = permissions;
  const named = (all: readonly string[] | null | undefined, access: "read" | "write") =>
    (all ?? []).map((path) => ({ path: uriOfNative(pathAt(path, frame)), access }));
  return {
    network: network?.enabled === true,
    files: [...named(files?.read, "read"), ...named(files?.write, "write")],
  };
}

let declared: ToolDeclaration | undefined;

/** The tool, as a model is told of it. */
export function declarePermissionTool(): ToolDeclaration {
  declared ??= {
    name: PERMISSION_TOOL,
    description:
      "Asks the user to allow more than the sandbox does: files, folders or the network, for this turn or longer. What is granted holds for every later call.",
    inputSchema: z.toJSONSchema(Input),
  };
  return declared;
}
