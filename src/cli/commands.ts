import type { Command } from "./command.ts";
import { appServerCommand } from "./commands/app-server-command.ts";
import { chatCommand } from "./commands/chat-command.ts";
import { completionCommand } from "./commands/completion-command.ts";
import { confineCommand } from "./commands/confine-command.ts";
import { doctorCommand } from "./commands/doctor-command.ts";
import { execServerCommand } from "./commands/exec-server-command.ts";
import { explainCommand } from "./commands/explain-command.ts";
import { installCommand } from "./commands/install-command.ts";
import { planCommand } from "./commands/plan-command.ts";
import { receiptsCommand } from "./commands/receipts-command.ts";
import { replCommand } from "./commands/repl-command.ts";
import { runCommand } from "./commands/run-command.ts";
import { schemaCommand } from "./commands/schema-command.ts";
import { sessionsCommand } from "./commands/sessions-command.ts";
import { skillsCommand } from "./commands/skills-command.ts";
import { snapshotCommand } from "./commands/snapshot-command.ts";

const COMPLETED: readonly Command[] = [
  runCommand,
  planCommand,
  explainCommand,
  chatCommand,
  execServerCommand,
  appServerCommand,
  confineCommand,
  replCommand,
  installCommand,
  doctorCommand,
  receiptsCommand,
  sessionsCommand,
  snapshotCommand,
  skillsCommand,
  schemaCommand,
];

/** Every command there is; the help, completion and the checks on documentation read this list. */
export const COMMANDS: readonly Command[] = [...COMPLETED, completionCommand(COMPLETED)];
