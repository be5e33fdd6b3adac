/**
 * Files of this machine, under the default policy of the server.
 *
 * What a command without a policy of its own could not do, these cannot either.
 */
import { z } from "zod";
import { method } from "../../rpc/index.ts";

const Nothing = z.object({});
const Milliseconds = z.int().nonnegative();
const path = z.string().describe("Absolute.");

/** A policy cannot be chosen for one file: saying one is no way to be under it. */
const unsupported = z.unknown().optional().describe("Refused unless null.");
const policyMembers = {
  sandboxPolicy: unsupported,
  sandbox: unsupported,
  permissions: unsupported,
  permissionProfile: unsupported,
};

export const fileMethods = {
  readFile: method("fs/readFile", {
    summary: "Read a file of at most 32 MiB",
    params: z.object({ path, ...policyMembers }),
    result: z.object({ dataBase64: z.string() }),
  }),
  writeFile: method("fs/writeFile", {
    summary: "Write a file, made if need be in a folder that exists",
    params: z.object({ path, dataBase64: z.string(), ...policyMembers }),
    result: Nothing,
  }),
  createDirectory: method("fs/createDirectory", {
    summary: "Make a folder, and those above it unless `recursive` is false",
    params: z.object({ path, recursive: z.boolean().nullish(), ...policyMembers }),
    result: Nothing,
  }),
  getMetadata: method("fs/getMetadata", {
    summary: "What is at a path",
    params: z.object({ path, ...policyMembers }),
    result: z.object({
      isDirectory: z.boolean(),
      isFile: z.boolean(),
      isSymlink: z.boolean(),
      createdAtMs: Milliseconds,
      modifiedAtMs: Milliseconds,
    }),
  }),
  readDirectory: method("fs/readDirectory", {
    summary: "The names in a folder",
    params: z.object({ path, ...policyMembers }),
    result: z.object({
      entries: z.array(
        z.object({ fileName: z.string(), isDirectory: z.boolean(), isFile: z.boolean() }),
      ),
    }),
  }),
  remove: method("fs/remove", {
    summary: "Take away a file, a link or a folder",
    params: z.object({
      path,
      recursive: z.boolean().nullish().describe("True when absent."),
      force: z.boolean().nullish().describe("Whether it may be missing; true when absent."),
      ...policyMembers,
    }),
    result: Nothing,
  }),
  copy: method("fs/copy", {
    summary: "Copy a file, a link or, with `recursive`, a folder",
    params: z.object({
      sourcePath: path,
      destinationPath: path,
      recursive: z.boolean().default(false),
      ...policyMembers,
    }),
    result: Nothing,
  }),
};
