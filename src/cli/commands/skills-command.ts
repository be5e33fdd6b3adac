import { type Command, UsageError } from "../command.ts";

/** `writ skills`: which skills a thread would have, and whether they are as they should be. */
export const skillsCommand: Command = {
  name: "skills",
  summary: "List the skills of a folder, or check skills strictly",
  usage: "skills list|check [PATH] [--json]",
  help: `  list [PATH]   the skills of a thread in PATH (default: .), with problems
  check [PATH]  check a skill, or a folder of skills, strictly; without PATH all
                that a thread here would have
  --json        an object: skills, problems

Skills lie in $WRIT_HOME/skills, in [skills] roots of config.toml, in
$CODEX_HOME/skills and ~/.agents/skills, and in .agents/skills of a project that
[projects."PATH"] trust_level = "trusted" names.
Exit status 1: check found a problem. 2: bad input, or settings that are broken.

example: writ skills check ~/.writ/skills/pdf
`,
  options: { json: { type: "boolean" } },
  verbs: ["list", "check"],
  rest: "folder",
  async run({ flags, positionals }, world) {
    const [verb, at, ...more] = positionals;
    if (verb === undefined) {
      throw new UsageError("Cannot use skills: no verb was given, expected list or check");
    }
    if ((verb !== "list" && verb !== "check") || more.length > 0) {
      const found = JSON.stringify(more[0] ?? verb);
      throw new UsageError(`Cannot use ${found}: expected list or check, and a path or nothing`);
    }
    const { checkSkills, listSkills } = await import("../skills/list-skills.ts");
    return verb === "list" ? listSkills(at, flags, world) : checkSkills(at, flags, world);
  },
};
