import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { SandboxIntent, StartRequest } from "../../../../src/exec/index.ts";
import {
  policyForMode,
  profileOfPolicy,
  type SandboxMode,
  uriOfNative,
} from "../../../../src/policy/index.ts";

/** Not below /tmp, which the default policy opens. */
const BASE = "/var/tmp";

/** Folders of the machine that runs commands, for one test. */
export interface ContractPlace {
  readonly workspace: string;
  /** Beside the workspace, where no policy lets a command write. */
  readonly outside: string;
}

export function contractPlace(): ContractPlace {
  const base = mkdtempSync(path.join(BASE, "writ-contract-"));
  // A server that builds a spare there makes and removes placeholders meanwhile.
  const whole = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 };
  onTestFinished(() => rmSync(base, whole));
  const [workspace, outside] = [path.join(base, "workspace"), path.join(base, "outside")];
  for (const folder of [workspace, outside]) mkdirSync(folder);
  return { workspace, outside };
}

export const WAIVED: SandboxIntent = {
  kind: "waived",
  by: "test",
  reason: "it is about something else",
};

/** What a caller of that mode intends, in words that travel. */
export function intentOf(mode: SandboxMode, { workspace }: ContractPlace): SandboxIntent {
  const cwd = uriOfNative(workspace);
  return {
    kind: "enforce",
    context: {
      profile: profileOfPolicy(policyForMode(mode)),
      cwd,
      workspaceRoots: [cwd],
      settings: { windowsSandboxLevel: "disabled" },
    },
  };
}

let started = 0;

/** A shell script in the workspace, without a sandbox unless `more` has one. */
export function requestOf(
  script: string,
  { workspace }: ContractPlace,
  more: Partial<StartRequest> = {},
): StartRequest {
  started += 1;
  return {
    processId: `process-${started}`,
    argv: ["/bin/sh", "-c", script],
    arg0: null,
    cwd: uriOfNative(workspace),
    envPolicy: null,
    env: { PATH: "/usr/bin:/bin" },
    terminal: null,
    pipeStdin: false,
    sandbox: WAIVED,
    anchor: null,
    ids: {},
    ...more,
  };
}
