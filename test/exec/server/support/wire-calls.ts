/** Every call that a client may make, with what each of its members is. */
import { uriOfNative } from "../../../../src/policy/index.ts";

/** What a member is; each kind has values that it must not have. */
export type Kind =
  | "text"
  | "uri"
  | "uris"
  | "flag"
  | "integer"
  | "count"
  | "base64"
  | "texts"
  | "variables";

export interface Member {
  readonly kind: Kind | "intent" | "table";
  readonly value: unknown;
  /** Whether the call makes sense without it. */
  readonly optional: boolean;
}

export interface WireCall {
  readonly method: string;
  readonly members: Readonly<Record<string, Member>>;
}

function needs(kind: Member["kind"], value: unknown): Member {
  return { kind, value, optional: false };
}

function may(kind: Member["kind"], value: unknown): Member {
  return { kind, value, optional: true };
}

let numbers = 0;

/** A number of a watch that was used before is passed over. */
const freshNumber: Member = {
  kind: "integer",
  optional: false,
  get value() {
    numbers += 1;
    return numbers;
  },
};

/** A workspace-write intent as Codex sends it. */
export function intentAt(workspace: string) {
  const cwd = uriOfNative(workspace);
  const special = (kind: string, access: string) => ({
    path: { type: "special", value: { kind } },
    access,
  });
  return {
    permissions: {
      type: "managed",
      file_system: {
        type: "restricted",
        entries: [special("root", "read"), special("project_roots", "write")],
      },
      network: "restricted",
    },
    cwd,
    workspaceRoots: [cwd],
    windowsSandboxLevel: "disabled",
    useLegacyLandlock: false,
  };
}

/** The calls, all of them about a folder that exists and the file `f` in it. */
export function wireCalls(workspace: string): readonly WireCall[] {
  const uri = uriOfNative(workspace);
  const file = needs("uri", `${uri}/f`);
  const sandbox = may("intent", intentAt(workspace));
  const at = { path: file, followSymlinks: may("flag", true), sandbox };
  const processId = needs("text", "p");
  const handleId = needs("text", "h");
  const bounds = { maxDepth: 1, maxDirectories: 1, maxEntries: 1, followDirectorySymlinks: false };
  const call = (method: string, members: WireCall["members"]) => ({ method, members });
  return [
    call("process/start", {
      processId,
      argv: needs("texts", ["/bin/true"]),
      cwd: needs("uri", uri),
      env: needs("variables", { PATH: "/usr/bin:/bin" }),
      tty: needs("flag", false),
      pipeStdin: may("flag", true),
      arg0: may("text", "name"),
      enforceManagedNetwork: may("flag", false),
      envPolicy: may("table", {
        inherit: "all",
        ignoreDefaultExcludes: true,
        exclude: [],
        set: {},
        includeOnly: [],
      }),
      sandbox,
    }),
    call("process/read", { processId, afterSeq: may("count", 0), waitMs: may("count", 0) }),
    call("process/write", {
      processId,
      chunk: needs("base64", "YQ=="),
      writeId: needs("text", "w"),
    }),
    call("process/signal", { processId, signal: needs("text", "interrupt") }),
    call("process/terminate", { processId }),
    call("process/resize", { processId, columns: needs("count", 80), rows: needs("count", 24) }),
    call("fs/readFile", at),
    call("fs/writeFile", { ...at, dataBase64: needs("base64", "YQ==") }),
    call("fs/createDirectory", { ...at, recursive: may("flag", true) }),
    call("fs/getMetadata", at),
    call("fs/canonicalize", { path: file, sandbox }),
    call("fs/readDirectory", { path: needs("uri", uri), sandbox }),
    call("fs/walk", { path: needs("uri", uri), options: needs("table", bounds), sandbox }),
    call("fs/remove", { ...at, recursive: may("flag", true), force: may("flag", true) }),
    call("fs/copy", {
      sourcePath: file,
      destinationPath: needs("uri", `${uri}/g`),
      recursive: needs("flag", false),
      sandbox,
    }),
    call("fs/open", { handleId, path: file, mode: may("text", "read"), sandbox }),
    call("fs/readBlock", { handleId, offset: needs("count", 0), len: needs("count", 1) }),
    call("fs/writeBlock", {
      handleId,
      offset: needs("count", 0),
      chunk: needs("base64", "YQ=="),
    }),
    call("fs/close", { handleId }),
    call("fs/watchMissing", { watchId: freshNumber, missing: needs("uris", [uri]), sandbox }),
    call("http/request", {
      method: needs("text", "GET"),
      url: needs("text", "http://127.0.0.1:1/"),
      timeoutMs: may("count", 1),
      requestId: needs("text", "r"),
      streamResponse: may("flag", false),
    }),
    call("initialize", { clientName: needs("text", "again"), resumeSessionId: may("text", "s") }),
  ];
}
