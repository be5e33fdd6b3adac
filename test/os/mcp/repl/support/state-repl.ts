/** A REPL that inherits, for the cases about sandbox states, with what they try in each language. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import path from "node:path";
import { placeFor, type SandboxUser } from "../../../support/sandbox-user.ts";
import { managed, stateOf, withState } from "../../cases/support/call-states.ts";
import { workspaceWrite } from "../../cases/support/repl-lab.ts";
import { openRepl } from "./open-repl.ts";
import type { ReplClient, Replied } from "./repl-client.ts";

export interface StateRepl {
  readonly client: ReplClient;
  /** A folder of its own, writable under `a`. */
  readonly cwd: string;
  /** Where no policy lets code write. */
  readonly outside: string;
  /** What `tmpdir` means on the host. */
  readonly tmp: string;
  /** `_meta` with workspace-write. */
  readonly a: object;
  /** `_meta` with read-only. */
  readonly b: object;
  call(input: string, meta: object | undefined, timeoutMs?: number): Promise<Replied>;
  /** A cell under `a` that has printed `begun;` and waits until `goOn`, then runs `then`. */
  pend(then: string): Promise<void>;
  goOn(): void;
  /** Whether the session still has the variable that `keep` set under `a`. */
  keep(): Promise<void>;
  isKept(meta?: object): Promise<boolean>;
}

export interface StateReplOptions {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Python that tries to write, and says whether it did. */
export function put(file: string): string {
  return `try: open(${JSON.stringify(file)}, "w").close(); print("wrote;", end="")\nexcept OSError: print("denied;", end="")\n`;
}

/** One that ends with its test. */
export async function openStateRepl(
  user: SandboxUser,
  { flags = ["--sandbox", "inherit"], env = {} }: StateReplOptions = {},
): Promise<StateRepl> {
  const place = placeFor(user);
  const cwd = mkdtempSync(path.join(place.workspace, "case-"));
  const tmp = path.join(path.dirname(place.outside), "tmp");
  mkdirSync(tmp);
  const all = ["--language", "python", ...flags];
  const client = await openRepl({ place, flags: all, env: { TMPDIR: tmp, ...env } });
  const a = withState(stateOf(workspaceWrite(cwd), cwd));
  const b = withState(stateOf(managed([[":root", "read"]]), cwd));
  const call: StateRepl["call"] = (input, meta, timeoutMs) =>
    client.call(input, { meta, ...(timeoutMs !== undefined && { timeoutMs }) });
  return {
    ...{ client, cwd, outside: place.outside, tmp, a, b, call },
    async pend(then) {
      await call("1", a);
      const waits = `import os, time\nprint("begun;", flush=True)\nwhile not os.path.exists("${cwd}/go"): time.sleep(0.005)\n`;
      await client.until("begun;", `${waits}${then}`, { meta: a });
    },
    goOn: () => writeFileSync(path.join(cwd, "go"), ""),
    keep: async () => void (await call("x = 5", a)),
    isKept: async (meta = a) => (await call("'x' in globals()", meta)).text.endsWith("True\n"),
  };
}
