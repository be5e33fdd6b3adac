/**
 * Files that a launch needs beside the command: shown by themselves where the policy shows nothing of them.
 */
import { type AbsolutePath, accessTo, type BoundProfile, isWithin } from "../../policy/index.ts";
import type { LaunchRequest } from "../launch-plan.ts";
import { SandboxError } from "../sandbox-error.ts";

/** Makes the command the leader of a session with the terminal, so that ^C reaches it and nothing else. */
export const SESSION = ["/usr/bin/setsid" as AbsolutePath, "--ctty", "--"] as const;

/** What the launch itself needs and the policy does not show; what it denies by name stays hidden. */
export function launchFilesOf(
  { terminal, profile }: LaunchRequest,
  sessionFiles: readonly AbsolutePath[],
): readonly AbsolutePath[] {
  const [program] = SESSION;
  if (terminal === "none" || accessTo(profile, program) !== "deny") return [];
  const hidden = sessionFiles.filter((file) => accessTo(profile, file) === "deny");
  const denied = hidden.find((file) => isDeniedByName(profile, file));
  if (sessionFiles.length > 0 && denied === undefined) return hidden;
  throw new SandboxError(
    "unenforceableRule",
    `Cannot give the command a terminal: the policy hides "${denied ?? program}", expected it to be readable`,
  );
}

function isDeniedByName(profile: BoundProfile, file: AbsolutePath): boolean {
  const { files } = profile;
  if (files.type === "unrestricted") return false;
  const named = files.entries.some(({ path, access }) => access === "deny" && isWithin(file, path));
  return named || accessTo(withReads(profile, [file]), file) === "deny";
}

/** The files themselves, and nothing beside them. */
export function withReads(profile: BoundProfile, paths: readonly AbsolutePath[]): BoundProfile {
  const { files } = profile;
  if (files.type === "unrestricted" || paths.length === 0) return profile;
  const added = paths.map((path) => ({
    path,
    access: "read" as const,
    protects: [],
    rule: "what the launch needs",
  }));
  return { ...profile, files: { ...files, entries: [...files.entries, ...added] } };
}
