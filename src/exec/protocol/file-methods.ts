/**
 * Files of the machine that runs commands, each call under the intent it brings.
 *
 * The `writ` member is ours; programs that do not know it pass it over.
 */
import { z } from "zod";
import { PathUri } from "../../policy/index.ts";
import { method, notification } from "../../rpc/index.ts";
import { ClientIds, LONGEST_ID } from "./client-ids.ts";
import { SandboxMember } from "./sandbox-member.ts";

/** What a server says among its abilities that keeps receipts of looks. */
export const LOOK_RECEIPTS_CAPABILITY = "writLookReceipts";

const Nothing = z.object({});
const Count = z.int().nonnegative();

/** What a request for files carries beyond the wire it shares with others. */
export const WritFiles = z
  .strictObject({
    anchor: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .describe("The anchor whose home and tmp it sees; of none when absent."),
    signed: z.unknown().optional().describe("A signature over the request."),
  })
  .meta({
    id: "WritFiles",
    description: "What a request for files carries beyond the common wire.",
  });

/** What a look at a file carries besides. */
export const WritLook = WritFiles.extend({
  record: z
    .strictObject({
      threadId: z.string().min(1).max(LONGEST_ID).optional(),
      ids: ClientIds.optional().describe("Further names of the client, for the receipt."),
    })
    .optional()
    .describe("Has a receipt kept of it; none is kept when absent."),
}).meta({
  id: "WritLook",
  description: "What a look at a file carries beyond the common wire.",
});

const WritLooked = z
  .object({ receiptId: z.string().describe("The receipt that was kept of it.") })
  .meta({ id: "WritLooked", description: "What becomes known of a look that is on record." });

const linked = {
  followSymlinks: z.boolean().nullish().describe("False refuses a link in any part of the path."),
  sandbox: SandboxMember,
  writ: WritFiles.optional(),
};
const at = { path: PathUri, ...linked };
const look = { ...at, writ: WritLook.optional() };
const looked = { writ: WritLooked.optional() };

const FileMetadata = z
  .object({
    isDirectory: z.boolean(),
    isFile: z.boolean(),
    isSymlink: z.boolean(),
    size: Count,
    createdAtMs: Count,
    modifiedAtMs: Count,
  })
  .meta({ id: "FileMetadata", description: "What is at a path; of a link, what it leads to." });

const WalkOptions = z
  .object({
    maxDepth: Count,
    maxDirectories: Count,
    maxEntries: Count,
    followDirectorySymlinks: z.boolean(),
    pruneHiddenDirectories: z.boolean().default(false),
  })
  .meta({ id: "WalkOptions", description: "How far a walk goes." });

const Walked = z
  .object({
    entries: z.array(z.object({ path: z.string(), kind: z.enum(["file", "directory"]) })),
    errors: z.array(z.object({ path: z.string(), message: z.string() })),
    truncated: z.boolean(),
  })
  .meta({ id: "Walked", description: "What a walk found, in the order of levels and names." });

export const fileMethods = {
  readFile: method("fs/readFile", {
    summary: "Read a regular file of at most 512 MiB",
    params: z.object(look),
    result: z.object({ dataBase64: z.string(), ...looked }),
  }),
  writeFile: method("fs/writeFile", {
    summary: "Write a file, made if need be in a folder that exists",
    params: z.object({ ...at, dataBase64: z.string() }),
    result: Nothing,
  }),
  createDirectory: method("fs/createDirectory", {
    summary: "Make a folder",
    params: z.object({ ...at, recursive: z.boolean().nullish() }),
    result: Nothing,
  }),
  getMetadata: method("fs/getMetadata", {
    summary: "What is at a path",
    params: z.object(at),
    result: FileMetadata,
  }),
  canonicalize: method("fs/canonicalize", {
    summary: "The path without links",
    params: z.object(at),
    result: z.object({ path: z.string() }),
  }),
  readDirectory: method("fs/readDirectory", {
    summary: "The names in a folder, at most 50,000",
    params: z.object(look),
    result: z.object({
      entries: z.array(
        z.object({ fileName: z.string(), isDirectory: z.boolean(), isFile: z.boolean() }),
      ),
      ...looked,
    }),
  }),
  walk: method("fs/walk", {
    summary: "What is below a folder, within bounds",
    params: z.object({ ...at, options: WalkOptions }),
    result: Walked,
  }),
  remove: method("fs/remove", {
    summary: "Take away a file, a link or a folder",
    params: z.object({ ...at, recursive: z.boolean().nullish(), force: z.boolean().nullish() }),
    result: Nothing,
  }),
  copy: method("fs/copy", {
    summary: "Copy a file, a link or a folder",
    params: z.object({
      sourcePath: PathUri,
      destinationPath: PathUri,
      recursive: z.boolean(),
      ...linked,
    }),
    result: Nothing,
  }),
  open: method("fs/open", {
    summary: "Open a file to be read, or written anew, block by block",
    params: z.object({
      handleId: z.string(),
      mode: z.enum(["read", "replace"]).default("read"),
      ...look,
    }),
    result: z.object({ handleId: z.string(), ...looked }),
  }),
  readBlock: method("fs/readBlock", {
    summary: "Read from an open file",
    params: z.object({ handleId: z.string(), offset: Count, len: Count }),
    result: z.object({ chunk: z.string(), eof: z.boolean() }),
  }),
  writeBlock: method("fs/writeBlock", {
    summary: "Write to an open file",
    params: z.object({ handleId: z.string(), offset: Count, chunk: z.string() }),
    result: Nothing,
  }),
  close: method("fs/close", {
    summary: "Close an open file",
    params: z.object({ handleId: z.string() }),
    result: Nothing,
  }),
  watchMissing: method("fs/watchMissing", {
    summary: "Be told once when a missing path appears or a present one is removed",
    params: z.object({
      watchId: z.int(),
      missing: z.array(PathUri),
      present: PathUri.nullish(),
      ...linked,
    }),
    result: z.object({ watching: z.boolean() }),
  }),
};

export const fileNotifications = {
  missingChanged: notification("fs/missingChanged", {
    summary: "A path that was missing is there, or one that was there is not",
    params: z.object({ watchId: z.int() }),
  }),
};
