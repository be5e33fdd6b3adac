/** Processes of a thread that go on, for whoever would see or end them. */
import { z } from "zod";
import { method } from "../../rpc/index.ts";
import { pageMembers } from "./shapes/page-members.ts";

const BackgroundTerminal = z
  .object({
    itemId: z.string().describe("Of the command that started it."),
    processId: z.string(),
    command: z.string(),
    cwd: z.string(),
    osPid: z.null().describe("Its number on its machine is not told."),
    cpuPercent: z.null(),
    rssKb: z.null(),
    writ: z.object({
      source: z.enum(["agent", "userShell"]).describe("Who started it: the model, or the user."),
    }),
  })
  .meta({ id: "BackgroundTerminal", description: "A process of a thread that goes on." });

const ById = z.object({ threadId: z.string() });

export const terminalMethods = {
  list: method("thread/backgroundTerminals/list", {
    summary: "What goes on: what the model left running, and what the user typed",
    experimental: true,
    params: ById.extend(pageMembers),
    result: z.object({ data: z.array(BackgroundTerminal), nextCursor: z.string().nullable() }),
  }),
  terminate: method("thread/backgroundTerminals/terminate", {
    summary: "End one of them, with all it started; its turn goes on",
    experimental: true,
    params: ById.extend({ processId: z.string() }),
    result: z.object({
      terminated: z.boolean().describe("False where none of this number goes on."),
    }),
  }),
  clean: method("thread/backgroundTerminals/clean", {
    summary: "End all of them",
    experimental: true,
    params: ById,
    result: z.object({}),
  }),
};
