/**
 * Where a receipt will be written: a folder that is opened before the command runs.
 *
 * The command may well be able to write there. It must not make writ, which no
 * sandbox holds, write somewhere else: by then the folder is a descriptor, and a
 * link on the way to it that a command could have made is refused.
 */
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { type AbsolutePath, type BoundProfile, isWithin } from "../../policy/index.ts";
import { type FileFacts, realFileFacts } from "../files/file-facts.ts";
import { parentOf } from "../files/parent-of.ts";
import { RealPaths } from "../files/real-paths.ts";
import { resolvePath } from "../files/resolve-path.ts";
import { SandboxError } from "../sandbox-error.ts";

export interface ReceiptFile {
  /** A reader finds the old receipt or the new one, and never half of one. */
  write(text: string): void;
  close(): void;
}

/** Opens the folder of `file`. Throws {@link SandboxError} where a command could have turned it elsewhere. */
export function openReceiptFile(file: AbsolutePath, profile: BoundProfile): ReceiptFile {
  const facts = realFileFacts([]);
  const { real, links, missing } = resolvePath(parentOf(file), facts);
  const open = links.find(
    ({ at }) => facts.isOpenToAll(parentOf(at)) || isBelowWritable(at, profile, facts),
  );
  if (open !== undefined) {
    throw refusal(
      file,
      `it leads through the link "${open.at}", which a command or somebody else may have made`,
    );
  }
  if (missing !== undefined || facts.kindOf(real) !== "directory") {
    throw refusal(file, `there is no folder "${missing ?? real}", expected one`);
  }
  refuseUnwritable(file, real, facts);
  const paths = new RealPaths();
  // Elsewhere a folder cannot be named by its descriptor.
  const folder = process.platform === "linux" ? `/proc/self/fd/${paths.open(real)}` : real;
  return {
    write: (text) => writeWhole(folder, path.basename(file), text),
    close: () => paths.close(),
  };
}

/** Known before the command runs, and not when it is over. */
function refuseUnwritable(file: AbsolutePath, folder: AbsolutePath, facts: FileFacts): void {
  const kind = facts.kindOf(file);
  if (kind === "directory") throw refusal(file, "it is a folder, expected a file");
  // The file takes the place of what is there: of /dev/stdout, for one.
  if (kind === "link") throw refusal(file, "it is a link, expected a file");
  if (kind === "special")
    throw refusal(file, "it is a device, a pipe or a socket, expected a file");
  try {
    fs.accessSync(folder, fs.constants.W_OK | fs.constants.X_OK);
  } catch {
    throw refusal(file, `"${folder}" cannot be written, expected a folder that can`);
  }
}

/** Without its carve-outs: one link too many is refused rather than one too few. */
function isBelowWritable(at: AbsolutePath, { files, enforcement }: BoundProfile, facts: FileFacts) {
  if (enforcement !== "managed" || files.type === "unrestricted") return false;
  return files.entries.some(
    ({ path: root, access }) => access === "write" && isWithin(at, resolvePath(root, facts).real),
  );
}

function writeWhole(folder: string, name: string, text: string): void {
  // A name that nobody can have taken before.
  const draft = path.join(folder, `.${randomUUID()}.draft`);
  fs.writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
  try {
    fs.renameSync(draft, path.join(folder, name));
  } catch (error) {
    fs.rmSync(draft, { force: true });
    throw error;
  }
}

function refusal(file: string, why: string): SandboxError {
  return new SandboxError("unprotectablePath", `Cannot write the receipt "${file}": ${why}`);
}
