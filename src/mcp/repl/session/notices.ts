/** What the server itself says in a reply. Each is a line that no program prints by accident. */
import type { SandboxIntent } from "../../../exec/index.ts";
import { writeCanonicalProfile } from "../../../policy/index.ts";

export const NOTICES = {
  started: "[repl] new session started",
  interrupted: "[repl] interrupted",
  discarded: "[repl] input discarded while worker busy",
  withdrawn: "[repl] interrupted before it ran; input discarded",
  notStarted: "[repl] input discarded: the worker is still starting, send it again",
} as const;

/** That a call came with another policy, and what that did. */
export function policyNotices(intent: SandboxIntent, aborted: boolean): string[] {
  const policy =
    intent.kind === "waived"
      ? "none"
      : JSON.stringify(writeCanonicalProfile(intent.context.profile, "carry"));
  return [
    "[repl] sandbox policy changed; new session started",
    ...(aborted ? ["[repl] previous request aborted because sandbox policy changed"] : []),
    `[repl] new sandbox policy: ${policy}`,
  ];
}

/** That a session is over because its program wanted it to be; `how` may be empty. */
export function endNotice(how: string): string {
  return `[repl] session ended${how === "" ? "" : ` (${how})`}`;
}

/** That one is gone which nobody was waiting for. */
export function idleNotice(why: string): string {
  return `[repl] the previous session died while it was idle (${why}); its state is lost`;
}

/** That a worker is gone that should not be. */
export function deathNotice(why: string): string {
  return `[repl] worker ${why}`;
}
