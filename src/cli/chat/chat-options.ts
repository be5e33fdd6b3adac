/** What the flags of `writ chat` ask for. Pure but for the files that they name. */
import path from "node:path";
import { readBoundedFile } from "../../config/index.ts";
import { SANDBOX_MODES } from "../../policy/index.ts";
import type { WebSocketAddress } from "../../rpc/index.ts";
import { type CliWorld, type CommandInput, type FlagValues, UsageError } from "../command.ts";
import { tokenFor } from "../exec/token-for.ts";
import { jsonOf } from "../policy/json-of.ts";
import type { BeginMembers } from "./chat-thread.ts";

export interface ChatOptions {
  readonly begin: BeginMembers;
  /** Another server; one in this process when absent. */
  readonly remote?: { readonly address: WebSocketAddress; readonly token?: string };
  /** The thread to go on with: by its id, or the last one of this folder. */
  readonly resume?: { readonly id: string } | "last";
}

const APPROVALS = ["never", "on-request", "untrusted"] as const;

/** Reads the flags. Throws `UsageError`, or what is wrong with a file. */
export function readChatOptions(
  { flags, positionals }: Pick<CommandInput, "flags" | "positionals">,
  world: CliWorld,
): ChatOptions {
  const [id, ...more] = positionals;
  const unexpected = flags.resume ? more[0] : id;
  if (unexpected !== undefined) {
    throw new UsageError(`Cannot use "${unexpected}": expected options, or one id after --resume`);
  }
  if (flags.resume && flags.ephemeral) {
    throw new UsageError("Cannot use --ephemeral with --resume: what is resumed was kept");
  }
  const remote = remoteOf(flags, world);
  return {
    begin: beginOf(flags, world),
    ...(remote && { remote }),
    ...(flags.resume && { resume: id === undefined ? "last" : { id } }),
  };
}

function beginOf(flags: FlagValues, world: CliWorld): BeginMembers {
  const { approval, model, ephemeral } = flags;
  return {
    ...policyOf(flags, world),
    ...(approval !== undefined && { approvalPolicy: wordOf("approval", approval, APPROVALS) }),
    ...(model !== undefined && { model: textOf("model", model) }),
    ...(ephemeral && { ephemeral: true }),
  };
}

const POLICY_FLAGS = ["sandbox", "permissions", "policy"] as const;

function policyOf(flags: FlagValues, world: CliWorld) {
  const given = POLICY_FLAGS.filter((name) => flags[name] !== undefined);
  const [source] = given;
  if (given.length > 1) {
    const names = given.map((name) => `--${name}`).join(" and ");
    throw new UsageError(`Cannot choose a policy: found ${names}, expected one of them`);
  }
  if (source === undefined) return {};
  const value = textOf(source, flags[source]);
  if (source === "sandbox") return { sandbox: wordOf("sandbox", value, SANDBOX_MODES) };
  if (source === "permissions") return { permissions: value };
  const file = path.resolve(world.cwd, value);
  const text = readBoundedFile(file);
  if (text === undefined) {
    const what = "there is no such file, expected a policy as JSON";
    throw new UsageError(`Cannot read "${file}": ${what}`);
  }
  return { sandboxPolicy: jsonOf(text, `"${file}"`) };
}

function remoteOf(flags: FlagValues, world: CliWorld): ChatOptions["remote"] {
  const { remote, "token-file": tokenFile } = flags;
  if (remote === undefined) {
    if (tokenFile === undefined) return undefined;
    throw new UsageError("Cannot use --token-file without --remote: nobody asks for a token");
  }
  const text = textOf("remote", remote);
  const address = addressOf(text);
  if (tokenFile === undefined) return { address };
  const file = path.resolve(world.cwd, textOf("token-file", tokenFile));
  return { address, token: tokenFor(text, file) };
}

function addressOf(text: string): WebSocketAddress {
  if (/^wss?:\/\/./.test(text)) return { kind: "url", url: text };
  const socket = text.startsWith("unix://") ? text.slice("unix://".length) : "";
  if (path.isAbsolute(socket)) return { kind: "unix", path: socket };
  const expected = "ws://HOST:PORT, wss://HOST or unix:///PATH";
  throw new UsageError(`Cannot use --remote "${text}": it is no address, expected ${expected}`);
}

function wordOf<Word extends string>(flag: string, text: unknown, words: readonly Word[]): Word {
  const word = words.find((one) => one === text);
  if (word !== undefined) return word;
  throw new UsageError(`Cannot use --${flag} "${text}": expected ${words.join(", ")}`);
}

function textOf(flag: string, value: FlagValues[string]): string {
  if (typeof value === "string" && value !== "") return value;
  throw new UsageError(`Cannot use --${flag} "": it is empty, expected a value`);
}
