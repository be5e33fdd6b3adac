/**
 * The question whether more may be allowed, and what of its answer counts.
 *
 * Files stand in it twice, as lists and as entries, because clients know one or
 * the other. Where an answer has both, only what both say is given: a client
 * that took something out of one of them meant it.
 */
import type { z } from "zod";
import type { PermissionAnswer, PermissionQuestion } from "../../agent/index.ts";
import {
  commonGrant,
  type Grant,
  type GrantedPath,
  nativeOfUri,
  PolicyError,
  uriOfNative,
} from "../../policy/index.ts";
import { appProtocol } from "../protocol/app-protocol.ts";
import type { ApprovalContext, PendingQuestion } from "./pending-question.ts";

const { ask } = appProtocol.toClient;

type Params = z.input<typeof ask.permissionsApproval.params>;
type Answered = z.output<typeof ask.permissionsApproval.result>;
type GivenFiles = NonNullable<Answered["permissions"]["fileSystem"]>;

const NOTHING: PermissionAnswer = { given: { network: false, files: [] }, scope: "turn" };

/** Nobody asks for more, and every place is compared with every other. */
const MOST_GIVEN = 256;

/** The question as clients are asked it, and its answer as it is meant. */
export function permissionQuestion(
  question: PermissionQuestion,
  context: ApprovalContext,
): PendingQuestion<PermissionAnswer> {
  const params = paramsOf(question, context);
  return {
    put: (connection, options) => connection.ask(ask.permissionsApproval, params, options),
    read: readAnswer,
    stopped: NOTHING,
  };
}

function paramsOf(
  { itemId, cwd, reason, asked }: PermissionQuestion,
  { thread: threadId, turn: turnId, atMs: startedAtMs, environment }: ApprovalContext,
): Params {
  const { network, files } = asked;
  const pathsOf = (wanted: GrantedPath["access"]) => {
    const paths = files.filter(({ access }) => access === wanted).map(({ path }) => shown(path));
    return paths.length === 0 ? null : paths;
  };
  const entries = files.map(({ path, access }) => ({
    path: { type: "path" as const, path: shown(path) },
    access,
  }));
  return {
    ...{ threadId, turnId, itemId, startedAtMs, reason, environmentId: environment, cwd },
    permissions: {
      network: network ? { enabled: true } : null,
      fileSystem:
        files.length === 0 ? null : { read: pathsOf("read"), write: pathsOf("write"), entries },
    },
  };
}

function shown(path: GrantedPath["path"]): string {
  return nativeOfUri(path) ?? path;
}

/** Was checked against its schema when it came. What of it cannot be kept makes all of it no answer. */
function readAnswer(result: unknown): PermissionAnswer | undefined {
  const checked = ask.permissionsApproval.result.safeParse(result);
  // A review of every command is a restriction, and nobody here could keep it.
  if (!checked.success || checked.data.strictAutoReview === true) return undefined;
  const { permissions, scope } = checked.data;
  try {
    const files = filesOf(permissions.fileSystem ?? {});
    return { given: { network: permissions.network?.enabled === true, files }, scope };
  } catch (error) {
    if (error instanceof PolicyError) return undefined;
    throw error;
  }
}

function filesOf({ read, write, entries }: GivenFiles): readonly GrantedPath[] {
  const hasLists = (read ?? write ?? undefined) !== undefined;
  const listed = [...(read ?? []).map(as("read")), ...(write ?? []).map(as("write"))];
  const named = entries?.map(grantedOf) ?? [];
  if (listed.length + named.length > MOST_GIVEN) {
    const what = `it names ${listed.length + named.length} places, expected at most ${MOST_GIVEN}`;
    throw new PolicyError("tooLarge", `Cannot take the answer: ${what}`);
  }
  if (entries === undefined || entries === null) return listed;
  return hasLists ? commonGrant(filesOnly(listed), filesOnly(named)).files : named;
}

const filesOnly = (files: readonly GrantedPath[]): Grant => ({ network: false, files });

function as(access: GrantedPath["access"]): (path: string) => GrantedPath {
  return (path) => ({ path: uriOfNative(path), access });
}

/** None but places were asked for; a deny, a pattern or a symbol says something else. */
function grantedOf({ path, access }: NonNullable<GivenFiles["entries"]>[number]): GrantedPath {
  if (path.type === "path" && access !== "deny") return as(access)(path.path);
  throw new PolicyError(
    "unrepresentable",
    `Cannot take the answer: it has an entry of the kind "${path.type}" with "${access}", expected places to read or to write`,
  );
}
