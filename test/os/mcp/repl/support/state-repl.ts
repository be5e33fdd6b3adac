/** A REPL that inherits, for the cases about sandbox states, with what they try in each language. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Place, placeFor, type SandboxUser } from "../../../support/sandbox-user.ts";
import { managed, stateOf, withState } from "../../cases/support/call-states.ts";
import { workspaceWrite } from "../../cases/support/repl-lab.ts";
import { keptRepls, openRepl } from "./open-repl.ts";
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
  /** Ends the session, so that the next call is the first under that state. */
  restart(meta: object): Promise<void>;
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
  options: StateReplOptions = {},
): Promise<StateRepl> {
  const place = placeFor(user);
  return stateReplOn(await openRepl({ place, ...startOf(place, options) }));
}

/**
 * Servers that tests have one after the other, by their options: each begins in folders of its own, after a restart
 * under its `a`. Only for tests that a server may have served others before.
 */
export function keptStateRepls(
  user: SandboxUser,
): (options?: StateReplOptions) => Promise<StateRepl> {
  const kept = keptRepls(user);
  return async (options = {}) => {
    const repl = stateReplOn(
      await kept(JSON.stringify(options), (place) => startOf(place, options)),
    );
    await repl.restart(repl.a);
    return repl;
  };
}

function startOf(place: Place, { flags = ["--sandbox", "inherit"], env = {} }: StateReplOptions) {
  mkdirSync(tmpOf(place));
  return {
    flags: ["--language", "python", ...flags],
    env: { TMPDIR: tmpOf(place), ...env },
  };
}

const tmpOf = ({ outside }: Place) => path.join(path.dirname(outside), "tmp");

function stateReplOn(client: ReplClient): StateRepl {
  const { place } = client;
  const cwd = mkdtempSync(path.join(place.workspace, "case-"));
  const outside = mkdtempSync(path.join(place.outside, "case-"));
  place.give();
  const a = withState(stateOf(workspaceWrite(cwd), cwd));
  const b = withState(stateOf(managed([[":root", "read"]]), cwd));
  const call: StateRepl["call"] = (input, meta, timeoutMs) =>
    client.call(input, { meta, ...(timeoutMs !== undefined && { timeoutMs }) });
  return {
    ...{ client, cwd, outside, tmp: tmpOf(place), a, b, call },
    async restart(meta) {
      const { text } = await call("\u0004", meta);
      if (!text.includes("new session started")) throw new Error(`Cannot begin anew: ${text}`);
    },
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
