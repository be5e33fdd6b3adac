/**
 * Files of this machine for clients, under the default policy of the server.
 *
 * Every operation brings the intent that a command without a policy of its own
 * would bring, so that neither can do what the other cannot.
 */
import { decodeBase64, type FileOperations, type SandboxIntent } from "../../exec/index.ts";
import { type PathUri, parseAbsolutePath, uriOfNative } from "../../policy/index.ts";
import { base64Text, type Handlers, type IncomingCall, RpcError } from "../../rpc/index.ts";
import type { CommandPolicies } from "../commands/command-policies.ts";
import { refusePolicyMembers } from "../commands/refuse-policy-members.ts";
import { contextOf } from "../policy/apply-policy.ts";
import type { fileMethods } from "../protocol/file-methods.ts";
import { fileRpcError } from "./file-rpc-error.ts";

export interface FileHandlerParts {
  readonly files: FileOperations;
  readonly policies: CommandPolicies;
  /** The folder of the server, absolute: what its policy is bound to. */
  readonly cwd: string;
}

type FileHandlers = Handlers<typeof fileMethods, unknown>;
type AtPath = Parameters<FileOperations["readFile"]>[0];

const DONE = {};
/** Its base64 is one message, and clients of ours take 64 MiB at most. */
const MOST_READ_BYTES = 32 << 20;

/** What a client may do with files. */
export function fileHandlers({ files, policies, cwd }: FileHandlerParts): FileHandlers {
  const under = async (path: string): Promise<AtPath> => {
    const uri = uriOf(path);
    const { profile, workspaceRoots } = await policies.forCommand({ cwd });
    const context = contextOf(profile, { cwd, workspaceRoots });
    const sandbox: SandboxIntent = { kind: "enforce", context };
    return { path: uri, links: "follow", sandbox, anchor: null };
  };
  return told({ ...wholeFiles(files, under), ...trees(files, under) });
}

type Under = (path: string) => Promise<AtPath>;

function wholeFiles(
  files: FileOperations,
  under: Under,
): Pick<FileHandlers, "readFile" | "writeFile" | "getMetadata"> {
  return {
    async readFile({ path }) {
      const at = await under(path);
      // Looked at first, so that what is too large is not read; it may have grown meanwhile.
      refuseLarge((await files.getMetadata(at)).size);
      const bytes = await files.readFile(at);
      refuseLarge(bytes.length);
      return { dataBase64: base64Text(bytes) };
    },
    async writeFile({ path, dataBase64 }) {
      const bytes = decodeBase64(dataBase64, (why) => {
        const what = `fs/writeFile requires valid base64 dataBase64: ${why}`;
        return new RpcError("invalidRequest", what);
      });
      await files.writeFile(await under(path), bytes);
      return DONE;
    },
    async getMetadata({ path }) {
      const { size: _, ...metadata } = await files.getMetadata(await under(path));
      return metadata;
    },
  };
}

function trees(
  files: FileOperations,
  under: Under,
): Pick<FileHandlers, "createDirectory" | "readDirectory" | "remove" | "copy"> {
  return {
    async createDirectory({ path, recursive }) {
      await files.createDirectory(await under(path), { recursive: recursive ?? true });
      return DONE;
    },
    async readDirectory({ path }) {
      return { entries: [...(await files.readDirectory(await under(path)))] };
    },
    async remove({ path, recursive, force }) {
      const options = { recursive: recursive ?? true, force: force ?? true };
      await files.remove(await under(path), options);
      return DONE;
    },
    async copy({ sourcePath, destinationPath, recursive }) {
      const from = await under(sourcePath);
      await files.copy(from, { ...from, path: uriOf(destinationPath) }, { recursive });
      return DONE;
    },
  };
}

/** A path of this machine; only an absolute one means the same to everybody. */
function uriOf(path: string): PathUri {
  return uriOfNative(parseAbsolutePath(path));
}

function refuseLarge(size: number): void {
  if (size <= MOST_READ_BYTES) return;
  const what = `file is too large to read: limit is ${MOST_READ_BYTES} bytes`;
  throw new RpcError("invalidRequest", what);
}

const UNSUPPORTED = {
  members: ["sandboxPolicy", "sandbox", "permissions", "permissionProfile"],
  instead: "files obey the default policy of the server",
} as const;

/** No policy that would not be followed, and every failure in the words of the wire. */
function told(handlers: FileHandlers): FileHandlers {
  const entries = Object.entries(handlers).map(([name, handle]) => [
    name,
    async (params: object, context: unknown, call: IncomingCall) => {
      refusePolicyMembers(params, { method: call.method, ...UNSUPPORTED });
      try {
        return await Reflect.apply(handle, handlers, [params, context, call]);
      } catch (error) {
        throw fileRpcError(error);
      }
    },
  ]);
  return Object.fromEntries(entries) as FileHandlers;
}
