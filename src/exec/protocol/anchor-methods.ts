/**
 * Places that outlive a command: a home, a folder for temporary files, a shelf and a private loopback.
 *
 * These methods are ours. A server that has them says so by the capability
 * `writAnchors`. An anchor belongs to the session that opened it, and ends with it.
 */
import { z } from "zod";
import { StraightUri } from "../../policy/index.ts";
import { method } from "../../rpc/index.ts";
import { ClientIds } from "./client-ids.ts";
import { SandboxMember } from "./sandbox-member.ts";

/** The capability of a server that has anchors. */
export const ANCHORS_CAPABILITY = "writAnchors";
/** The capability of a server whose anchors may have overlays; no other is asked for one. */
export const OVERLAYS_CAPABILITY = "writOverlays";

const anchorId = z.string().min(1).max(128).describe("Chosen by the client; its session's own.");
const ids = ClientIds.describe("Names of the client: thread.");

export const AnchorDescription = z
  .object({
    anchorId,
    ids,
    home: z.string().describe("`HOME` of its commands, as a `file:` URI."),
    tmp: z.string().describe("`TMPDIR` of its commands, as a `file:` URI."),
    shelf: z.string().describe("`WRIT_SHELF` of its commands, as a `file:` URI."),
    createdAt: z.int().nonnegative().describe("Milliseconds since 1970."),
  })
  .meta({ id: "AnchorDescription", description: "A place that outlives a command." });

const shelfPath = z.string().min(1).max(4096).describe("From the top of the shelf, with `/`.");

/** What a request for an anchor carries beyond what it says of it. */
const writ = z
  .strictObject({ signed: z.unknown().optional().describe("A signature over the request.") })
  .optional();

const ById = z.object({ anchorId });

export const anchorMethods = {
  open: method("writ/anchor/open", {
    summary: "Make an anchor; it ends when it is closed, or with the session",
    params: z.object({
      anchorId,
      ids: ids.default({}),
      base: SandboxMember.describe(
        "What all that is done in it may open at most, wherever paths lead; null or absent says nothing.",
      ),
      overlays: z
        .array(StraightUri)
        .max(16)
        .default([])
        .describe(
          "Folders whose changes stay in the anchor and go with it. Refused where that cannot be kept.",
        ),
      writ,
    }),
    result: AnchorDescription,
  }),
  find: method("writ/anchor/find", {
    summary: "The anchor of that name; an error unless it is alive",
    params: ById,
    result: AnchorDescription,
  }),
  list: method("writ/anchor/list", {
    summary: "The anchors of this session that are alive",
    result: z.object({ anchors: z.array(AnchorDescription) }),
  }),
  close: method("writ/anchor/close", {
    summary: "End all that runs in an anchor, and remove its folders; false if there was none",
    params: ById,
    result: z.object({ closed: z.boolean() }),
  }),
  stock: method("writ/anchor/stock", {
    summary:
      "Put files on the shelf of an anchor, which its commands only read, and take files away",
    params: z.object({
      anchorId,
      isEmptied: z.boolean().default(false).describe("Whether all that is there goes first."),
      remove: z.array(shelfPath).default([]),
      write: z
        .array(
          z.object({
            path: shelfPath,
            dataBase64: z.string(),
            isExecutable: z.boolean().default(false),
          }),
        )
        .default([]),
      writ,
    }),
    result: z.object({}),
  }),
  compare: method("writ/anchor/compare", {
    summary: "What an intent comes to in an anchor, and whether it stays within another one",
    params: z.object({
      anchorId,
      cwd: StraightUri.describe("Where symbols are bound."),
      sandbox: SandboxMember,
      base: SandboxMember,
      writ,
    }),
    result: z.object({
      boundDigest: z.string(),
      isWithin: z.boolean().describe("True where it allows nothing that `base` does not."),
    }),
  }),
};
