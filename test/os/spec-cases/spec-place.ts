/**
 * One sandbox run per case of the specification, probing every path at once.
 *
 * `/r` in rules and paths stands for a folder made for the case, `/o` for one beside it. What a
 * command says it could do is compared with what the host then finds on its disk: a write that
 * left nothing behind, or one nobody reported, fails the case.
 */
import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { type Rule, wireOf } from "../../policy/support/profiles.ts";
import { placeFor, type Ran, type SandboxUser } from "../support/sandbox-user.ts";

/** Readable and writable, readable, neither; creatable; missing and not creatable. */
export type Found = "RW" | "R-" | "--" | "C" | "missing" | "odd";

export interface SpecRun {
  /** The folder the command starts in; `/r` unless said. */
  readonly from?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export class SpecPlace {
  readonly #place;

  /** `"a/"` is a folder, `"a"` a file, `["a", "target"]` a link; all below `/r` unless they say `/o`. */
  constructor(user: SandboxUser, ...layout: (string | readonly [link: string, to: string])[]) {
    this.#place = placeFor(user);
    for (const one of layout) {
      const [name, target] = typeof one === "string" ? [one] : one;
      const at = this.at(name.startsWith("/") ? name : `/r/${name}`);
      mkdirSync(name.endsWith("/") ? at : path.dirname(at), { recursive: true });
      if (target !== undefined) symlinkSync(this.at(target), at);
      else if (!name.endsWith("/")) writeFileSync(at, BEFORE);
    }
  }

  /** The real path of one that begins with `/r` or `/o`; any other is itself. */
  at(place: string): string {
    return place
      .replace(/^(\/?)\/r(?=\/|$)/, `$1${this.#place.workspace}`)
      .replace(/^\/o(?=\/|$)/, this.#place.outside);
  }

  write(name: string, text: string): void {
    writeFileSync(this.at(`/r/${name}`), text);
  }

  /** Flags for the rules as the state of an MCP call. */
  state(rules: readonly Rule[], more: Readonly<Record<string, unknown>> = {}): string[] {
    return this.stateOf(this.wire(rules, more));
  }

  /** Flags for a whole profile document. */
  stateOf(permissionProfile: unknown): string[] {
    const sandboxCwd = `file://${this.#place.workspace}`;
    const state = { permissionProfile, codexLinuxSandboxExe: null, sandboxCwd };
    return ["--sandbox-state-json", JSON.stringify(state)];
  }

  /** Flags for a profile file beside the workspace. */
  file(name: string, text: string): string[] {
    const file = path.join(path.dirname(this.#place.workspace), name);
    writeFileSync(file, text);
    return ["--profile", file];
  }

  wire(rules: readonly Rule[], more: Readonly<Record<string, unknown>> = {}) {
    return wireOf(
      rules.map(([target, access, missing]): Rule => {
        const [, glob = "", rest = ""] = /^(glob:)?(.*)$/.exec(target) ?? [];
        const at = `${glob}${this.at(rest)}`;
        return missing ? [at, access, missing] : [at, access];
      }),
      more,
    );
  }

  /** A script under `writ run` with these flags. */
  sh(script: string, flags: readonly string[], { from = "/r", env = {} }: SpecRun = {}): Ran {
    this.#place.give();
    const command = ["--", "/bin/sh", "-c", script];
    const [program = "", ...args] = this.#place.argv(["run", ...flags, ...command]);
    return spawnSync(program, args, {
      cwd: this.at(from),
      env: { ...this.#place.env, ...env },
      encoding: "utf8",
      timeout: 30_000,
    });
  }

  /** What a command finds it can do with each path. */
  probe(flags: readonly string[], paths: readonly string[], how: SpecRun = {}) {
    const before = new Map(paths.map((one) => [one, this.#size(one)]));
    const words = paths.map((one) => `'${this.at(one)}'`).join(" ");
    const { stdout, stderr, status } = this.sh(
      `${PROBE}\nfor f in ${words}; do probe "$f"; done`,
      flags,
      how,
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringMatching(QUIET) });
    const found = stdout.trim().split("\n") as Found[];
    expect(found).toHaveLength(paths.length);
    const answers = paths.map((one, index) => {
      // In an empty folder that stands for a hidden one, what is hidden looks as if it were not there.
      const hidden = found[index] === "missing" && before.get(one) !== NOTHING;
      return [one, hidden ? "--" : (found[index] ?? "odd")] as const;
    });
    for (const [one, answer] of answers) {
      const grew = hasChanged(one, before.get(one), this.#size(one));
      expect({ path: one, grew }).toEqual({ path: one, grew: answer === "RW" || answer === "C" });
    }
    return Object.fromEntries(answers);
  }

  /** A policy that must not be run under: what it said instead. */
  refused(flags: readonly string[], how: SpecRun = {}): Pick<Ran, "status" | "stderr"> {
    const mark = path.join(path.dirname(this.#place.workspace), "ran");
    const { status, stdout, stderr } = this.sh(`echo ran; touch ${mark} ran`, flags, how);
    expect({ stdout, ran: existsSync(mark) || this.exists("/r/ran") }).toEqual({
      stdout: "",
      ran: false,
    });
    return { status, stderr };
  }

  text(place: string): string {
    return readFileSync(this.at(place), "utf8");
  }

  exists(place: string): boolean {
    return (
      existsSync(this.at(place)) ||
      lstatSync(this.at(place), { throwIfNoEntry: false }) !== undefined
    );
  }

  /** Of a folder, whether the probe's file is in it. */
  #size(place: string): number {
    const at = this.at(place);
    const found = statSync(at, { throwIfNoEntry: false });
    if (found?.isDirectory()) return existsSync(path.join(at, MARK)) ? 1 : FOLDER;
    return found?.size ?? NOTHING;
  }
}

/** A waived sandbox is announced; nothing else is said. */
const QUIET = /^(writ: the policy waives .*\n)?$/;
const NOTHING = -1;
const FOLDER = -2;
const BEFORE = "before";
const MARK = "probe-was-here";

/** Outside of the place a folder that comes or goes may be a placeholder of somebody else: the probe makes none. */
function hasChanged(place: string, before = NOTHING, after = NOTHING): boolean {
  const isOurs = /^\/[ro](\/|$)/.test(place);
  return after !== before && (isOurs || after >= 0 || before >= 0);
}

/** A folder is probed by listing it and by leaving a file in it, a file by reading and appending. */
const PROBE = `probe() {
  if [ -d "$1" ]; then r=0; w=0
    ls "$1" >/dev/null 2>&1 && r=1
    (: > "$1/${MARK}") 2>/dev/null && w=1
  elif [ -e "$1" ]; then r=0; w=0
    cat "$1" >/dev/null 2>&1 && r=1
    (printf w >> "$1") 2>/dev/null && w=1
  elif (printf w > "$1") 2>/dev/null; then echo C; return
  else
    # What cannot be looked at is not the same as what is not there.
    case "$(LC_ALL=C ls -d "$1" 2>&1)" in *"No such file"*) echo missing;; *) echo --;; esac; return
  fi
  case $r$w in 11) echo RW;; 10) echo R-;; 00) echo --;; *) echo odd;; esac
}`;
