import { copyFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { makeFolder, visibleLine } from "../../sandbox/index.ts";
import { type CliWorld, type Command, UsageError } from "../command.ts";
import { systemProblem } from "../help/system-problem.ts";

/** `writ schema`: the shapes that this version speaks, as it was built with them. */
export const schemaCommand: Command = {
  name: "schema",
  summary: "Write the JSON Schema of every protocol, and types for clients",
  usage: "schema --out DIR",
  help: `  --out DIR  the folder to write to, made if missing; files of the same name
             are replaced, others stay

app-server.json and exec-server.json have a member for each direction, with a
member for each method. app-server.ts has the same as TypeScript types. The
other files are the shapes of policies and receipts.
Exit status 1: the folder cannot be written. 2: bad input.

example: writ schema --out ./schema
`,
  options: { out: { type: "string" } },
  takes: { out: "folder" },
  async run({ flags: { out }, positionals: [unexpected] }, world) {
    if (unexpected !== undefined) {
      throw new UsageError(`Cannot use "${unexpected}": expected no argument`);
    }
    if (typeof out !== "string") {
      throw new UsageError('Cannot write the schema: "--out" is missing, expected a folder');
    }
    const { PACKAGE_ROOT } = await import("../../exec/index.ts");
    return copySchema(path.join(PACKAGE_ROOT, "schema"), path.resolve(world.cwd, out), world);
  },
};

function copySchema(from: string, to: string, world: CliWorld): number {
  const files = readdirSync(from);
  try {
    makeFolder(to);
    for (const file of files) copyFileSync(path.join(from, file), path.join(to, file));
    return 0;
  } catch (error) {
    const problem = `Cannot write "${to}": ${systemProblem(error)}, expected a folder that can be written`;
    world.err(`writ: ${visibleLine(problem)}\n`);
    return 1;
  }
}
