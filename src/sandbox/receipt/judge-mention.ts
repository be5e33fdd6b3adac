/**
 * From what a line says to what the policy agrees with.
 *
 * A line about a path that the policy allows is no denial of this sandbox,
 * whatever it says: the file may be missing, belong to somebody else, or the
 * line may be forged.
 */
import {
  type AbsolutePath,
  explain,
  NetworkRules,
  PolicyError,
  parseAbsolutePath,
} from "../../policy/index.ts";
import type { Change, Denial } from "./denial.ts";
import type { FileMention } from "./file-mention.ts";
import type { NetworkMention } from "./network-mention.ts";
import { type ChangeBounds, smallestChange } from "./smallest-change.ts";

export interface JudgeBounds extends ChangeBounds {
  /** Where relative paths start, unless the command went elsewhere. */
  readonly cwd: AbsolutePath;
}

/** A denial without the line it was read from. */
export type Judged = JudgedOf<Denial>;
type JudgedOf<T> = T extends Denial ? Omit<T, "evidence" | "stream" | "line"> : never;

/** The denials that a mention stands for under this policy; none if the policy allows it all. */
export function judgeMention(mention: FileMention | NetworkMention, bounds: JudgeBounds): Judged[] {
  switch (mention.kind) {
    case "file":
      return mention.paths.flatMap((path) => judgeFile(mention, path, bounds));
    case "network":
      return judgeNetwork(mention.host, bounds);
    case "unixSocket":
      return judgeSocket(mention, bounds);
  }
}

function judgeFile(mention: FileMention, text: string, bounds: JudgeBounds): Judged[] {
  const path = pathOf(text, bounds.cwd);
  // The command has these of its own, so that no rule speaks about what it saw there.
  if (path === undefined || /^\/(?:proc|dev)(?:\/|$)/.test(path)) return [];
  const { access, rule, reason } = explain(bounds.profile, path);
  const wanted = mention.wanted === "write" ? "write" : "read";
  // What is hidden may look missing; what is only read-only does not.
  const needsDeny = wanted === "read" || mention.error === "missing";
  if (access === "write" || (needsDeny && access !== "deny")) return [];
  const change = smallestChange(bounds, path, wanted);
  return [{ kind: "file", path, wanted, rule, reason, change }];
}

function pathOf(text: string, cwd: AbsolutePath): AbsolutePath | undefined {
  try {
    return parseAbsolutePath(text.startsWith("/") ? text : `${cwd}/${text}`);
  } catch (error) {
    if (error instanceof PolicyError) return undefined;
    throw error;
  }
}

function judgeNetwork(host: string | undefined, { profile }: JudgeBounds): Judged[] {
  const { kind } = profile.network;
  if (kind === "enabled") return [];
  const rule = kind === "ruled" ? "network rules" : "network restricted";
  const reason =
    kind === "ruled"
      ? "the network is on only for what the rules of the profile allow"
      : "the profile does not enable the network";
  return [{ kind: "network", host: host ?? null, rule, reason, change: openHost(host, kind) }];
}

function openHost(host: string | undefined, kind: "restricted" | "ruled"): Change {
  const enabled = kind === "restricted" ? ["enabled = true"] : [];
  const known = host?.toLowerCase() ?? "";
  if (NetworkRules.safeParse({ domains: { [known]: "allow" } }).success) {
    const note =
      'a sandbox that cannot filter by host refuses this; without it only "enabled = true" is left, which opens everything';
    const line = `domains.${JSON.stringify(known)} = "allow"`;
    return { kind: "add", table: "network", lines: [...enabled, line], note };
  }
  if (kind === "ruled") {
    return { kind: "none", why: "the line names no host that a rule could allow" };
  }
  const note = "the line names no host, and this opens the whole network";
  return { kind: "add", table: "network", lines: enabled, note };
}

type SocketMention = Extract<NetworkMention, { kind: "unixSocket" }>;

function judgeSocket({ path, own }: SocketMention, { profile, cwd }: JudgeBounds): Judged[] {
  const allowed = profile.unixSockets;
  if (allowed === "host") return [];
  // With the host's network "private" is as strict as "none".
  const helps = own && allowed === "none" && profile.network.kind === "restricted";
  const word = helps ? "private" : "host";
  const note =
    word === "host"
      ? "whoever can connect can ask the program behind a socket to act for it"
      : "only sockets that the command makes itself";
  return [
    {
      kind: "unixSocket",
      path: (path !== undefined && pathOf(path, cwd)) || null,
      rule: `unix_socket_access = "${allowed}"`,
      reason: "sockets to programs of the host are closed to the command",
      change: { kind: "add", table: "network", lines: [`unix_socket_access = "${word}"`], note },
    },
  ];
}
