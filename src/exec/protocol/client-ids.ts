import { z } from "zod";

/** The longest name of something of a client's. */
export const LONGEST_ID = 256;

const MOST_IDS = 32;

/** What a client calls what it asks for, by kind, for whoever looks later. */
export const ClientIds = z
  .record(z.string().max(64), z.string().max(LONGEST_ID))
  .refine((ids) => Object.keys(ids).length <= MOST_IDS, `expected at most ${MOST_IDS} names`);
