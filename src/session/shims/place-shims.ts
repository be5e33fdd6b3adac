/**
 * Puts shims into a sandbox, and makes sure that they are what runs.
 *
 * They lie in a folder of their own below that for temporary files, named after
 * the sandbox: whoever comes back to it finds them, and what they keep, again.
 */
import { createHash } from "node:crypto";
import type { ProvidedCommand } from "../provider/provided-command.ts";
import type { FileRequest, ProvidedSandbox } from "../provider/provided-sandbox.ts";
import { codeOf, Refusal } from "../refusal.ts";
import type { SessionErrorCode } from "../session-error.ts";
import { SHIM_CHECK, type Shim } from "./shim.ts";

/** Where shims lie in one sandbox, and where its commands look for programs otherwise. */
export interface ShimPlace {
  readonly bin: string;
  readonly searchPath: string;
}

/** Nobody else may have made it, and nobody else may look into it. */
const PREPARE = `d=\${TMPDIR:-/tmp}/$1
mkdir -m 700 -- "$d" 2>/dev/null
if [ ! -d "$d" ] || [ -L "$d" ] || [ ! -O "$d" ] || [ ! -w "$d" ]; then
  echo "$d cannot be made or is not ours" >&2
  exit 1
fi
printf '%s\\n%s' "$d" "$PATH"`;

/** By its place, and never by its name: that could be the other one. */
const CHECK = `d=$1
shift
for n in "$@"; do
  f=$(command -v -- "$n")
  if [ "$f" != "$d/$n" ]; then echo "the shell finds $f" >&2; exit 1; fi
  if [ "$("$d/$n" ${SHIM_CHECK})" != "$n" ]; then echo "it does not run" >&2; exit 1; fi
done`;

/** Settles once every shim is the first of its name. Throws with the path and what was said against it. */
export async function placeShims(
  sandbox: ProvidedSandbox,
  shims: readonly Shim[],
  under: FileRequest,
): Promise<ShimPlace> {
  const name = `writ-shims-${createHash("sha256").update(sandbox.id).digest("hex").slice(0, 32)}`;
  const made = await run(sandbox, under, { script: PREPARE, args: [name], what: name });
  const at = made.indexOf("\n");
  const place = { bin: `${made.slice(0, at)}/bin`, searchPath: made.slice(at + 1) };
  const files = shims.map((shim) => ({
    path: `${place.bin}/${shim.name}`,
    content: Buffer.from(shim.script),
    mode: 0o755,
  }));
  const [{ path: first } = { path: place.bin }] = files;
  await sandbox.writeFiles(files, under).catch((error: unknown) => {
    throw refusal(first, "it could not be written", { code: codeOf(error), cause: error });
  });
  const args = [place.bin, ...shims.map((shim) => shim.name)];
  await run(sandbox, under, { script: CHECK, args, what: first, path: pathWith(place) });
  return place;
}

/** Where commands look for programs: among the shims first. */
export function pathWith({ bin, searchPath }: ShimPlace, own: string = searchPath): string {
  return `${bin}:${own}`;
}

interface Step {
  readonly script: string;
  readonly args: readonly string[];
  /** For the sentence. */
  readonly what: string;
  readonly path?: string;
}

async function run(
  sandbox: ProvidedSandbox,
  { intent }: FileRequest,
  { script, args, what, path }: Step,
): Promise<string> {
  const command = await sandbox
    .runCommand({
      ...{ argv: ["/bin/sh", "-c", script, "sh", ...args], cwd: ".", intent, ids: {} },
      env: path === undefined ? {} : { PATH: path },
      stdin: "none",
    })
    .catch((error: unknown) => {
      throw refusal(what, "the sandbox did not take it", { code: codeOf(error), cause: error });
    });
  const { exitCode, stdout, stderr } = await outcomeOf(command);
  if (exitCode === 0) return stdout;
  throw refusal(what, JSON.stringify(stderr.trim().slice(0, MOST_SHOWN)), { code: "unavailable" });
}

const MOST_SHOWN = 300;

async function outcomeOf(command: ProvidedCommand) {
  const printed = { stdout: "", stderr: "" };
  for await (const { stream, chunk } of command.output) {
    printed[stream] += Buffer.from(chunk).toString();
  }
  const { exitCode } = await command.ended;
  return { ...printed, exitCode };
}

function refusal(
  what: string,
  is: string,
  { code, cause }: { readonly code: SessionErrorCode; readonly cause?: unknown },
): Refusal {
  const text = `Cannot put the shim "${what}" into the sandbox: ${is}, expected a program that runs there first`;
  return new Refusal(code, text, { cause });
}
