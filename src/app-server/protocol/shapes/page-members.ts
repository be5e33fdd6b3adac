import { z } from "zod";

/** Where a list begins and how much of it is wanted. */
export const pageMembers = {
  cursor: z.string().nullish().describe("Of an earlier page; opaque."),
  limit: z.int().min(0).max(4_294_967_295).nullish(),
};

export const sortDirection = z.enum(["asc", "desc"]).nullish();
