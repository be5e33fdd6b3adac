import type { z } from "zod";
import type { PathUri } from "../../../policy/index.ts";
import { base64Text, type Handlers, JSON_LIMITS, RpcError } from "../../../rpc/index.ts";
import type { AtPath, FileOperations } from "../../files/file-operations.ts";
import { intentOfWire } from "../../intent/intent-of-wire.ts";
import type { fileMethods, WritFiles } from "../../protocol/file-methods.ts";
import { decodeBase64 } from "../decode-base64.ts";
import type { FileConnection } from "../file-connection.ts";
import { fileRpcError } from "./file-rpc-error.ts";
import { onRecord } from "./on-record.ts";
import { SeenIntents } from "./seen-intents.ts";

/** What a handler needs of the connection that it serves. */
export interface HasFiles {
  readonly files: FileConnection;
  /** A client calls an anchor by the name it has in its session. */
  readonly session: { readonly anchors: { nameOf(anchorId: string): string } };
}

type FileHandlers = Handlers<typeof fileMethods, HasFiles>;

const MAX_BLOCK = 1_048_576;
/** As base64, with the envelope around it, it fits into the longest message. */
const MAX_ANSWER = ((JSON_LIMITS.maxLength - 4096) / 4) * 3;
const TOO_LARGE = `file is too large for one answer: limit is ${MAX_ANSWER} bytes, expected fs/open and fs/readBlock`;
const ONE_ANSWER = { bytes: MAX_ANSWER, refusal: TOO_LARGE };
const NO_LOOK = "fs/open keeps a record of what is read alone, expected none with mode `replace`";
const DONE = {};

/** What a client may do with files. */
export function fileHandlers(files: FileOperations): FileHandlers {
  const served = { files, at: placeIn(new SeenIntents()) };
  return told({ ...wholeFiles(served), ...folders(served), ...blocks(served) });
}

interface Served {
  readonly files: FileOperations;
  readonly at: ReturnType<typeof placeIn>;
}

interface Asked {
  readonly sandbox?: unknown;
  readonly followSymlinks?: boolean | null | undefined;
  readonly writ?: z.output<typeof WritFiles> | undefined;
}

function placeIn(intents: SeenIntents) {
  return (path: PathUri, asked: Asked, { session }: HasFiles): AtPath => {
    const { sandbox, followSymlinks, writ: { anchor } = {} } = asked;
    return {
      path,
      links: followSymlinks === false ? "refuse" : "follow",
      sandbox: intents.of(sandbox),
      anchor: anchor === undefined ? null : session.anchors.nameOf(anchor),
    };
  };
}

function wholeFiles({
  files,
  at,
}: Served): Pick<FileHandlers, "readFile" | "writeFile" | "getMetadata" | "canonicalize" | "copy"> {
  return {
    async readFile({ path, ...asked }, connection) {
      return onRecord(asked, async (recorded) => {
        const place = at(path, asked, connection);
        const bytes = await files.readFile(place, { most: ONE_ANSWER, ...recorded });
        if (bytes.length > MAX_ANSWER) throw invalid(TOO_LARGE);
        return { dataBase64: base64Text(bytes) };
      });
    },
    async writeFile({ path, dataBase64, ...asked }, connection) {
      const bytes = decodeBase64(dataBase64, (why) =>
        invalid(`fs/writeFile requires valid base64 dataBase64: ${why}`),
      );
      await files.writeFile(at(path, asked, connection), bytes);
      return DONE;
    },
    getMetadata: ({ path, ...asked }, connection) => files.getMetadata(at(path, asked, connection)),
    async canonicalize({ path, ...asked }, connection) {
      return { path: await files.canonicalize(at(path, asked, connection)) };
    },
    async copy({ sourcePath, destinationPath, recursive, ...asked }, connection, { signal }) {
      const from = at(sourcePath, asked, connection);
      await files.copy(from, { ...from, path: destinationPath }, { recursive, signal });
      return DONE;
    },
  };
}

function folders({
  files,
  at,
}: Served): Pick<
  FileHandlers,
  "createDirectory" | "readDirectory" | "walk" | "remove" | "watchMissing"
> {
  return {
    async createDirectory({ path, recursive, ...asked }, connection) {
      const options = { recursive: recursive ?? true };
      await files.createDirectory(at(path, asked, connection), options);
      return DONE;
    },
    async readDirectory({ path, ...asked }, connection) {
      return onRecord(asked, async (recorded) => {
        const entries = await files.readDirectory(at(path, asked, connection), recorded);
        return { entries: [...entries] };
      });
    },
    async walk({ path, options, ...asked }, connection) {
      const walked = await files.walk(at(path, asked, connection), options);
      return { ...walked, entries: [...walked.entries], errors: [...walked.errors] };
    },
    async remove({ path, recursive, force, ...asked }, connection, { signal }) {
      const options = { recursive: recursive ?? true, force: force ?? true, signal };
      await files.remove(at(path, asked, connection), options);
      return DONE;
    },
    async watchMissing({ watchId, missing, present, ...asked }, connection) {
      // Also where there is nothing to look at, or not yet.
      intentOfWire(asked.sandbox, "client");
      const isThere = (path: PathUri) => isPresent(files, at(path, asked, connection));
      const watched = { missing, present: present ?? undefined, isThere };
      return { watching: await connection.files.watches.watch(watchId, watched) };
    },
  };
}

function blocks({
  files,
  at,
}: Served): Pick<FileHandlers, "open" | "readBlock" | "writeBlock" | "close"> {
  return {
    async open({ handleId, path, mode, ...asked }, connection) {
      // It is emptied as it is opened, and a receipt of a look would be kept only then.
      if (mode === "replace" && asked.writ?.record) throw invalid(NO_LOOK);
      return onRecord(asked, async (recorded) => {
        const opening = () => files.open(at(path, asked, connection), mode, recorded);
        await connection.files.openFiles.open(handleId, opening);
        return { handleId };
      });
    },
    async readBlock({ handleId, offset, len }, connection) {
      refuseLength("read", len);
      const { openFiles } = connection.files;
      const file = openFiles.find(handleId);
      try {
        const { chunk, eof } = await file.read(offset, len);
        return { chunk: base64Text(chunk), eof };
      } catch (error) {
        await openFiles.close(handleId);
        throw error;
      }
    },
    async writeBlock({ handleId, offset, chunk }, connection) {
      const bytes = decodeBase64(chunk, (why) => new RpcError("invalidParams", why));
      refuseLength("write", bytes.length);
      await connection.files.openFiles.find(handleId).write(offset, bytes);
      return DONE;
    },
    async close({ handleId }, connection) {
      await connection.files.openFiles.close(handleId);
      return DONE;
    },
  };
}

async function isPresent(files: FileOperations, path: AtPath): Promise<boolean> {
  try {
    await files.getMetadata(path);
    return true;
  } catch (error) {
    const told = fileRpcError(error);
    if (told instanceof RpcError && told.code === "notFound") return false;
    throw error;
  }
}

/** Every failure in the words of the wire. */
function told(handlers: FileHandlers): FileHandlers {
  const entries = Object.entries(handlers).map(([name, handle]) => [
    name,
    async (...call: unknown[]) => {
      try {
        return await Reflect.apply(handle, handlers, call);
      } catch (error) {
        throw fileRpcError(error);
      }
    },
  ]);
  return Object.fromEntries(entries) as FileHandlers;
}

function refuseLength(verb: "read" | "write", length: number): void {
  if (length >= 1 && length <= MAX_BLOCK) return;
  throw invalid(`file ${verb} block length must be between 1 and ${MAX_BLOCK}`);
}

function invalid(message: string): RpcError {
  return new RpcError("invalidRequest", message);
}
