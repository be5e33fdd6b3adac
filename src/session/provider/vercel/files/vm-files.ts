import { randomBytes } from "node:crypto";
import type { Session } from "@vercel/sandbox";
import type { SandboxIntent } from "../../../../exec/index.ts";
import type { PathUri } from "../../../../policy/index.ts";
import { refuseAborted } from "../../../refusal.ts";
import { type Attempt, attemptError, whatOf } from "../../attempt.ts";
import type { DirEntry, FileRequest, FilesChanged, FileToWrite } from "../../provided-sandbox.ts";
import { refuseMode } from "../../refuse-mode.ts";
import { sandboxPath } from "../../sandbox-path.ts";
import { untilAborted } from "../../until-aborted.ts";
import { attemptingVm } from "../to-vm-error.ts";
import { ABSENT, SCRIPT_ENDS, SCRIPTS } from "./scripts.ts";
import { vmPathOf } from "./vm-path-of.ts";

export interface ScriptEnd {
  readonly exitCode: number;
  readonly stdout: string;
}

export interface VmFilesParts {
  readonly session: Session;
  readonly workspace: PathUri;
  /** Settles where something may be tried under an intent. */
  readonly admit: (intent: SandboxIntent, attempt: Attempt) => Promise<void>;
  /** Runs a script of the provider's own to its end. */
  readonly run: (script: string, args: readonly string[]) => Promise<ScriptEnd>;
}

/** A file with where it goes. */
interface Placed extends FileToWrite {
  readonly number: string;
  readonly to: string;
  /** Whose mode it takes; empty for nobody's. */
  readonly like: string;
}

/** An argument list has its limits. */
const MOST_AT_ONCE = 200;

/** Scripts of the provider's own have no receipt. */
const UNRECORDED: FilesChanged = { receiptId: null };

/** Files of a VM, each operation under the intent it comes with. */
export class VmFiles {
  readonly #parts: VmFilesParts;

  constructor(parts: VmFilesParts) {
    this.#parts = parts;
  }

  mkDir(path: string, under: FileRequest): Promise<void> {
    return this.#change({ verb: "make the folder", thing: path, work: "change" }, under, (at) =>
      this.#parts.run(SCRIPTS.makeFolder, [at]),
    );
  }

  remove(paths: readonly string[], under: FileRequest): Promise<FilesChanged> {
    return this.#takeAway(SCRIPTS.remove, paths, under);
  }

  /** Files and folders with all that is in them, and what is not there. */
  sweep(paths: readonly string[], under: FileRequest): Promise<FilesChanged> {
    return this.#takeAway(SCRIPTS.sweep, paths, under);
  }

  async #takeAway(
    script: string,
    paths: readonly string[],
    under: FileRequest,
  ): Promise<FilesChanged> {
    const all = paths.map((path) => this.#pathOf(path));
    const attempt = { verb: "remove", thing: paths[0] ?? "", work: "change" } as const;
    refuseAborted(under.signal, whatOf(attempt));
    await attemptingVm(attempt, async () => {
      await this.#parts.admit(under.intent, attempt);
      for (let at = 0; at < all.length; at += MOST_AT_ONCE) {
        refuseAborted(under.signal, whatOf(attempt));
        const { exitCode } = await this.#parts.run(script, all.slice(at, at + MOST_AT_ONCE));
        refuseEnd(exitCode, attempt);
      }
    });
    return UNRECORDED;
  }

  /** What is there is asked of the VM: a status of the service could mean the VM as well as the file. */
  readFileToBuffer(path: string, under: FileRequest): Promise<Buffer | null> {
    const attempt = { verb: "read", thing: path, work: "look" } as const;
    return this.#look(attempt, under, async (at) => {
      const { exitCode, stdout } = await this.#parts.run(SCRIPTS.look, [at]);
      if (exitCode === ABSENT) return null;
      refuseEnd(exitCode, attempt);
      if (stdout === "empty") return Buffer.alloc(0);
      const { signal } = under;
      const content = await this.#parts.session.readFileToBuffer({ path: at }, { signal });
      if (content !== null) return content;
      const gone = "it was there and is not any more, expected it to stay";
      throw attemptError(["unavailable", gone], attempt);
    });
  }

  listDir(path: string, under: FileRequest): Promise<readonly DirEntry[]> {
    const attempt = { verb: "list", thing: path, work: "look" } as const;
    return this.#look(attempt, under, async (at) => {
      const { exitCode, stdout } = await this.#parts.run(SCRIPTS.list, [at]);
      refuseEnd(exitCode, attempt);
      return stdout.split("//").slice(0, -1).map(dirEntry).sort(byName);
    });
  }

  /** Beside their places first, then moved there: what cannot be written leaves nothing of the call. */
  async writeFiles(written: readonly FileToWrite[], under: FileRequest): Promise<FilesChanged> {
    const placed = written.map((file, index) => {
      refuseMode(file);
      const like = file.modeOf === undefined ? "" : this.#pathOf(file.modeOf);
      return { ...file, number: String(index), to: this.#pathOf(file.path), like };
    });
    const attempt = { verb: "write", thing: placed[0]?.path ?? "", work: "change" } as const;
    refuseAborted(under.signal, whatOf(attempt));
    await attemptingVm(attempt, async () => {
      await this.#parts.admit(under.intent, attempt);
      if (placed.length > 0) await this.#replace(placed, under, attempt);
    });
    return UNRECORDED;
  }

  async #replace(
    placed: readonly Placed[],
    { signal }: FileRequest,
    attempt: Attempt,
  ): Promise<void> {
    const stage = `/tmp/.writ-${randomBytes(8).toString("hex")}`;
    const all = async (script: string) => {
      for (let at = 0; at < placed.length; at += MOST_AT_ONCE) {
        const words = placed.slice(at, at + MOST_AT_ONCE).flatMap(wordsOf);
        const { exitCode } = await this.#parts.run(script, [stage, ...words]);
        refuseEnd(exitCode, attempt);
      }
    };
    refuseAborted(signal, whatOf(attempt));
    refuseEnd((await this.#parts.run(SCRIPTS.stage, [stage])).exitCode, attempt);
    try {
      await this.#parts.session.writeFiles(
        placed.map(({ number, content }) => ({
          path: `${stage}/${number}`,
          content: Buffer.from(content),
        })),
      );
      await all(SCRIPTS.putBeside);
      refuseAborted(signal, whatOf(attempt));
      await all(SCRIPTS.move);
    } finally {
      // Where the VM does not answer any more, there is nobody to clear anything.
      await all(SCRIPTS.clear).catch(() => {});
    }
  }

  async #change(
    attempt: Attempt,
    under: FileRequest,
    change: (at: string) => Promise<ScriptEnd>,
  ): Promise<void> {
    const at = this.#pathOf(attempt.thing);
    refuseAborted(under.signal, whatOf(attempt));
    await attemptingVm(attempt, async () => {
      await this.#parts.admit(under.intent, attempt);
      refuseAborted(under.signal, whatOf(attempt));
      refuseEnd((await change(at)).exitCode, attempt);
    });
  }

  async #look<T>(
    attempt: Attempt,
    under: FileRequest,
    look: (at: string) => Promise<T>,
  ): Promise<T> {
    const at = this.#pathOf(attempt.thing);
    return attemptingVm(attempt, () =>
      untilAborted(under.signal, attempt, async () => {
        await this.#parts.admit(under.intent, attempt);
        return look(at);
      }),
    );
  }

  #pathOf(path: string): string {
    return vmPathOf(sandboxPath(this.#parts.workspace, path));
  }
}

/** A script that failed in another way has said nothing. */
function refuseEnd(exitCode: number, attempt: Attempt): void {
  if (exitCode === 0) return;
  const told = SCRIPT_ENDS[exitCode];
  if (told !== undefined) throw attemptError(told, attempt);
  const text = "the VM failed on it, expected a Linux with a shell and the usual tools";
  throw attemptError(["unavailable", text], attempt);
}

function wordsOf({ number, mode, to, like }: Placed): string[] {
  return [number, mode === undefined ? "" : mode.toString(8), to, like];
}

const KINDS = { file: "file", folder: "folder", link: "link" } as const;

function dirEntry(line: string): DirEntry {
  const at = line.indexOf("/");
  const kind = line.slice(0, at);
  return { name: line.slice(at + 1), kind: isKind(kind) ? KINDS[kind] : "other" };
}

function isKind(text: string): text is keyof typeof KINDS {
  return Object.hasOwn(KINDS, text);
}

function byName(one: DirEntry, other: DirEntry): number {
  return one.name < other.name ? -1 : 1;
}
