/**
 * A thread as it lies in the store.
 *
 * Its profile is in the canonical dialect, with the extension that carries what
 * others have no words for, and beside it the digest of what was meant: a policy
 * that reads as another one is refused, as is one that cannot be read.
 */
import { z } from "zod";
import { profileDigest, readCanonicalProfile, writeCanonicalProfile } from "../../policy/index.ts";
import { readJson } from "../../rpc/index.ts";
import { checkKeptId, checkKeptTime, invalid, KEPT_LIMITS, whatIsWrong } from "./check-kept.ts";
import type { ThreadRecord, ThreadSettings } from "./thread-record.ts";
import { ThreadStoreError } from "./thread-store-error.ts";

/** What a thread is read from. */
export interface ThreadRow {
  readonly seq: number;
  readonly id: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly archived: number;
  readonly record: string;
}

const text = z.string();
const textOrNull = text.nullable();

const Granular = z.strictObject({
  sandbox_approval: z.boolean(),
  rules: z.boolean(),
  mcp_elicitations: z.boolean(),
  skill_approval: z.boolean(),
  request_permissions: z.boolean(),
});

const Policy = z.strictObject({
  profile: z.unknown(),
  digest: text,
  origin: z.discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("named"),
      id: text,
      extends: textOrNull,
      roots: z.array(text),
    }),
    z.strictObject({ kind: z.literal("policy") }),
  ]),
});

const Settings = z.strictObject({
  policy: Policy.transform(({ profile: kept, digest, origin }) => {
    const profile = readCanonicalProfile(kept, "profile");
    if (profileDigest(profile) === digest) return { profile, origin };
    throw new Error("its policy is not the one of its digest");
  }),
  cwd: text,
  workspaceRoots: z.array(text),
  seen: z.array(z.strictObject({ path: text, real: text })),
  approvalPolicy: z.union([
    z.enum(["untrusted", "on-request", "never"]),
    z.strictObject({ granular: Granular }),
  ]),
  approvalsReviewer: z.enum(["user", "auto_review", "guardian_subagent"]),
  model: text,
  modelProvider: text,
  effort: textOrNull,
  summary: z.enum(["auto", "concise", "detailed", "none"]).nullable(),
  serviceTier: textOrNull,
  instructions: textOrNull,
  environments: z.array(z.strictObject({ id: text, cwd: text })),
  clientTools: z.array(
    z.strictObject({
      namespace: textOrNull,
      name: text,
      description: text,
      inputSchema: z.record(text, z.unknown()),
    }),
  ),
}) satisfies z.ZodType<ThreadSettings>;

type KeptMembers = Omit<ThreadRecord, "id" | "createdAt" | "updatedAt" | "archived">;

const Kept = z.strictObject({
  forkedFrom: textOrNull,
  preview: text,
  name: textOrNull,
  originator: textOrNull,
  threadSource: textOrNull,
  settings: Settings,
}) satisfies z.ZodType<KeptMembers>;

/** What of a thread stands in no column of its own. Throws "invalid" for what could not be read again. */
export function writeKeptThread(thread: ThreadRecord): string {
  const what = `the thread "${thread.id}"`;
  checkKeptId(what, thread.id);
  checkKeptTime(what, thread.createdAt);
  checkKeptTime(what, thread.updatedAt);
  try {
    const json = JSON.stringify(membersOf(thread));
    parseThread(json);
    return json;
  } catch (cause) {
    throw invalid(what, `${whatIsWrong(cause)}, expected what can be read again`, { cause });
  }
}

/** Throws "damaged" where it is no thread, or its policy not the one that was kept. */
export function readKeptThread(row: ThreadRow): ThreadRecord {
  const { id, createdAt, updatedAt, archived } = row;
  try {
    return { id, createdAt, updatedAt, archived: archived === 1, ...parseThread(row.record) };
  } catch (cause) {
    throw new ThreadStoreError(
      "damaged",
      `Cannot read the thread "${id}": ${whatIsWrong(cause)}, expected the thread that was kept`,
      { cause },
    );
  }
}

function membersOf({ id, createdAt, updatedAt, archived, settings, ...rest }: ThreadRecord) {
  const { profile, origin } = settings.policy;
  const kept = writeCanonicalProfile(profile, "carry");
  const policy = { profile: kept, digest: profileDigest(profile), origin };
  return { ...rest, settings: { ...settings, policy } };
}

function parseThread(json: string): KeptMembers {
  return Kept.parse(readJson(json, KEPT_LIMITS));
}
