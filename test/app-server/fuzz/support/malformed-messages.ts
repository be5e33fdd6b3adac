/**
 * Messages that are nearly right: real ones, changed somewhere.
 *
 * The same seed makes the same messages. Each knows whether it is still a request, read by
 * another reader than the server's, so that it can be held to an answer.
 */
import { createHash } from "node:crypto";
import { randomFrom } from "../../../os/app-server/support/random-from.ts";

export interface Malformed {
  readonly text: string;
  /** The id that must be answered once; nothing where the text is no request. */
  readonly id: string | undefined;
}

export interface FuzzPlace {
  readonly threadId: string;
  readonly folder: string;
}

type Json = Record<string, unknown>;

/** Texts that no writer of JSON writes, or few readers like. */
const FRAGMENTS = [
  ...["null", "true", "-0", "1e999", "-1e999", "1E-400", "0.1", "9007199254740993"],
  ...["123456789012345678901234567890", "2147483648", "-1", "[]", "{}", "[[]]", '""'],
  ...[String.raw`"\ud800"`, String.raw`"\udfff\ud800"`, String.raw`"\u0000"`, '"../../.."'],
  ...['{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}'],
  ...['{"a":1,"a":2}', '{"type":"readOnly","type":"workspaceWrite"}', '{"toString":null}'],
  ...['{"type":"nonsense"}', '["workspace-write"]', '{"length":4294967296}', '"\u202e"'],
  ...["[".repeat(90) + "]".repeat(90), "[".repeat(400) + "]".repeat(400)],
  ...[`${'{"a":'.repeat(300)}1${"}".repeat(300)}`, `"${"x".repeat(20_000)}"`],
  ...[`"${"é".repeat(3_000)}"`, `[${"0,".repeat(5_000)}0]`],
];
const KEYS = [
  "__proto__",
  "constructor",
  "prototype",
  "hasOwnProperty",
  "then",
  "toJSON",
  "",
  "\0",
];
const MARK = "@@";

/** What clients of every method send. */
function templates({ threadId, folder }: FuzzPlace): readonly (readonly [string, Json])[] {
  const input = [{ type: "text", text: "say hello", text_elements: [] }];
  const page = { cursor: null, limit: 5 };
  const policy = {
    type: "workspaceWrite",
    writableRoots: [folder],
    networkAccess: false,
    excludeTmpdirEnvVar: false,
  };
  const at = { path: `${folder}/file` };
  const clientInfo = { name: "fuzz", version: "1" };
  return [
    ["initialize", { clientInfo, capabilities: { experimentalApi: true } }],
    ["thread/start", { cwd: folder, sandboxPolicy: policy, approvalPolicy: "never", config: {} }],
    ["thread/resume", { threadId, excludeTurns: true, sandbox: "read-only" }],
    ["thread/read", { threadId, includeTurns: false }],
    ["thread/list", { ...page, sortKey: "created_at", modelProviders: ["writ"], cwd: folder }],
    ["thread/loaded/list", page],
    ["thread/turns/list", { threadId, ...page, sortDirection: "desc" }],
    ["thread/items/list", { threadId, ...page }],
    ["thread/goal/get", { threadId }],
    ["thread/unarchive", { threadId }],
    ["thread/name/set", { threadId, name: "a name" }],
    ["thread/settings/update", { threadId, sandboxPolicy: policy, effort: "low" }],
    ["thread/settings/update", { threadId, permissions: ":workspace", approvalPolicy: "never" }],
    ["turn/start", { threadId, input, sandboxPolicy: policy, cwd: folder, model: null }],
    ["turn/steer", { threadId, input, expectedTurnId: "none" }],
    ["turn/interrupt", { threadId, turnId: "none" }],
    ["command/exec", { command: ["true"], cwd: folder, sandboxPolicy: policy, timeoutMs: 5 }],
    ["command/exec/write", { processId: "p", deltaBase64: "AAAA" }],
    ["command/exec/resize", { processId: "p", size: { rows: 24, cols: 80 } }],
    ["command/exec/terminate", { processId: "p" }],
    ["fs/readFile", at],
    ["fs/writeFile", { ...at, dataBase64: "AAAA" }],
    ["fs/getMetadata", at],
    ["fs/readDirectory", { path: folder }],
    ["mcpServer/tool/call", { threadId, server: "none", tool: "t", arguments: {} }],
    ["mcpServerStatus/list", page],
    ["environment/info", { environmentId: "local" }],
    ["environment/status", { environmentId: "local" }],
    ["permissionProfile/list", { ...page, cwd: folder }],
    ["config/read", { includeLayers: true, cwd: folder }],
    ["configRequirements/read", {}],
    ["model/list", { ...page, includeHidden: true }],
    ["account/read", { refreshToken: false }],
    ["skills/list", { cwds: [folder] }],
    ["no/such/method", { threadId }],
  ];
}

export class MalformedMessages {
  readonly #random: (below: number) => number;
  readonly #templates: ReturnType<typeof templates>;
  #count = 0;

  constructor(seed: number, place: FuzzPlace) {
    this.#random = randomFrom(seed);
    this.#templates = templates(place);
  }

  next(): Malformed {
    this.#count += 1;
    const id = idOf(this.#count);
    const [method, params] = this.#pick(this.#templates);
    const message = structuredClone({ id, method, params });
    const isStray = this.#random(40) === 0;
    const written = isStray ? this.#stray(id) : this.#write(this.#change(message));
    const text = this.#random(6) === 0 ? this.#scratch(written) : written;
    return { text, id: isRequest(text, id) ? id : undefined };
  }

  /** An answer that nobody waits for, or something that is no message at all. */
  #stray(id: string): string {
    return this.#pick([
      ...['{"id":0,"result":{"decision":"accept"}}', '{"id":0,"error":{}}', "", "null", "[]"],
      ...[`{"id":"${id}"}`, `[{"id":"${id}","method":"thread/list"}]`, '"turn/start"', "{"],
      ...['{"method":"initialized"}', '{"method":"turn/start","params":{}}', "\u0000\u0001", "}{"],
    ]);
  }

  #change(message: Json): Json {
    for (let edits = this.#random(4); edits >= 0; edits -= 1) {
      // Mostly inside, so that most of them are still requests.
      const slots = slotsOf(this.#random(4) === 0 ? message : message.params);
      if (slots.length > 0) this.#edit(this.#pick(slots), slots);
    }
    return message;
  }

  #edit({ parent, key }: Slot, others: readonly Slot[]): void {
    const act = this.#random(8);
    if (act === 0) delete parent[key];
    else if (act === 1) parent[key] = [parent[key]];
    else if (act === 2) parent[`${MARK}k${this.#random(KEYS.length)}${MARK}`] = this.#fragment();
    else if (act === 3) parent[key] = this.#pick(others.map(clone));
    else parent[key] = this.#fragment();
  }

  #fragment(): string {
    return `${MARK}${this.#random(FRAGMENTS.length)}${MARK}`;
  }

  #write(message: Json): string {
    return JSON.stringify(message)
      .replaceAll(/"@@k(\d+)@@"/g, (_, at) => JSON.stringify(KEYS[Number(at)]))
      .replaceAll(/"@@(\d+)@@"/g, (_, at) => FRAGMENTS[Number(at)] ?? "null");
  }

  /** Cuts, doubles or overwrites a part of the text. */
  #scratch(text: string): string {
    const [from, length] = [this.#random(text.length + 1), this.#random(12)];
    const [head, part, tail] = [
      text.slice(0, from),
      text.slice(from, from + length),
      text.slice(from + length),
    ];
    return this.#pick([
      head,
      head + tail,
      head + part + part + tail,
      `${head}\ud800${tail}`,
      `${head}"${part}${tail}`,
    ]);
  }

  #pick<T>(values: readonly T[]): T {
    const value = values[this.#random(values.length)];
    if (value === undefined) throw new Error("there is nothing to pick from");
    return value;
  }
}

/** No scratch turns one into another. */
function idOf(count: number): string {
  return `m${count}-${createHash("sha1").update(String(count)).digest("hex").slice(0, 8)}`;
}

interface Slot {
  readonly parent: Json;
  readonly key: string;
}

function slotsOf(value: unknown): Slot[] {
  if (typeof value !== "object" || value === null) return [];
  const parent = value as Json;
  return Object.keys(parent).flatMap((key) => [{ parent, key }, ...slotsOf(parent[key])]);
}

function clone({ parent, key }: Slot): unknown {
  return structuredClone(parent[key] ?? null);
}

/** As the reader of the language sees it: an object with this id and a method. */
function isRequest(text: string, id: string): boolean {
  try {
    const parsed: unknown = JSON.parse(text);
    const { id: own, method } = Object(parsed) as Json;
    return !Array.isArray(parsed) && own === id && typeof method === "string";
  } catch {
    return false;
  }
}
