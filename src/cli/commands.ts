import type { Command } from "./command.ts";
import { explainCommand } from "./commands/explain-command.ts";

/** Every command there is; the help and the checks on documentation read this list. */
export const COMMANDS: readonly Command[] = [explainCommand];
