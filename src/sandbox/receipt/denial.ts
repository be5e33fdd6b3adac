/**
 * What a command was probably denied, and what would have allowed it.
 *
 * Nothing tells writ of a refused system call. A denial is read from what the
 * command printed and kept only where the policy agrees; it is a hint for a
 * person, never a fact, since a command can print anything.
 */
import { z } from "zod";

/** What would allow a denied thing, in the words of a `[permissions.NAME]` table. */
export const Change = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("add"),
      table: z.enum(["filesystem", "network"]).describe("The table of the profile to add to."),
      lines: z.array(z.string()).min(1).describe("TOML lines."),
      note: z.string().nullable().describe("What else must hold, if anything."),
    }),
    z.strictObject({
      kind: z.literal("replace"),
      table: z.literal("filesystem"),
      lines: z.array(z.string()).min(1).describe("TOML lines."),
      replaces: z.string().describe("The line that must go."),
      note: z.string().nullable().describe("What else must hold, if anything."),
    }),
    z.strictObject({
      kind: z.literal("none"),
      why: z.string().describe("Why no line can, and what would have to change instead."),
    }),
  ])
  .meta({ id: "Change", description: "The least change to a profile that would allow something." });
export type Change = z.infer<typeof Change>;

const told = {
  evidence: z.literal("inferred").describe("Read from output, which a command can forge."),
  stream: z.enum(["stdout", "stderr"]),
  line: z.string().describe("The line it was read from, shortened, control characters escaped."),
  rule: z.string().describe("The rule that decides, in the words of the configuration file."),
  reason: z.string(),
  change: Change,
};

/** One thing that a command was probably denied. */
export const Denial = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("file"),
      path: z.string(),
      wanted: z.enum(["read", "write"]),
      ...told,
    }),
    z.strictObject({
      kind: z.literal("network"),
      host: z.string().nullable().describe("Null where the line names none."),
      ...told,
    }),
    z.strictObject({
      kind: z.literal("unixSocket"),
      path: z.string().nullable().describe("Null where the line names none."),
      ...told,
    }),
  ])
  .meta({ id: "Denial", description: "Something a command was probably denied." });
export type Denial = z.infer<typeof Denial>;

/** The denials of a run, each once, and how many lines were not looked at because of a cap. */
export const Denials = z
  .strictObject({
    looked: z.boolean().describe("Whether the output was looked at; if not, nothing is known."),
    listed: z.array(Denial),
    unlisted: z
      .int()
      .nonnegative()
      .describe("Further lines that looked like denials, counted but not judged."),
  })
  .meta({ id: "Denials", description: "What a run was probably denied." });
export type Denials = z.infer<typeof Denials>;
