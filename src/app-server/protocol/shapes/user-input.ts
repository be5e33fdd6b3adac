/** What a person says, or the client of one. Unknown kinds are refused. */
import { z } from "zod";

const TextElement = z
  .object({
    byteRange: z.object({ start: z.int().nonnegative(), end: z.int().nonnegative() }),
    placeholder: z.string().nullable().default(null),
  })
  .meta({ id: "TextElement", description: "A part of a text that a client draws its own way." });

const detail = z.enum(["auto", "low", "high", "original"]).optional();

const OTHERS = [
  z.looseObject({
    type: z.literal("image"),
    url: z.string().optional(),
    fileId: z.string().optional(),
    detail,
  }),
  z.looseObject({ type: z.literal("localImage"), path: z.string(), detail }),
  z.looseObject({ type: z.literal("audio"), url: z.string() }),
  z.looseObject({ type: z.literal("localAudio"), path: z.string() }),
  z.looseObject({ type: z.literal("skill"), name: z.string(), path: z.string() }),
  z.looseObject({ type: z.literal("mention"), name: z.string(), path: z.string() }),
] as const;

/** As it is shown: what is not text, as it was said. */
export const UserInput = z
  .discriminatedUnion("type", [
    z.object({
      type: z.literal("text"),
      text: z.string(),
      text_elements: z.array(z.unknown()),
    }),
    z.looseObject({
      type: z.enum(["image", "localImage", "audio", "localAudio", "skill", "mention"]),
    }),
  ])
  .meta({ id: "UserInput", description: "A part of what a user said." });

/** As it is said: elements may be left out. A skill is loaded for the turn; all else but text is stored and not given to a model. */
export const UserInputParam = z
  .discriminatedUnion("type", [
    z.object({
      type: z.literal("text"),
      text: z.string(),
      text_elements: z.array(TextElement).default([]),
    }),
    ...OTHERS,
  ])
  .meta({
    id: "UserInputParam",
    description:
      "A part of what a user says. A skill is loaded for the turn; all else but text is stored and acts on nothing.",
  });
