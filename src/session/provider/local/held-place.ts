/**
 * What a person let out of the sandbox is done at the place that they were told of.
 *
 * A command in the sandbox may put a link where a folder was, and outside the
 * sandbox nothing else is in the way. So no link is followed there.
 */
import type { FileOperations } from "../../../exec/index.ts";
import { nativeOfUri, type PathUri } from "../../../policy/index.ts";
import { Refusal } from "../../refusal.ts";
import type { FileRequest } from "../provided-sandbox.ts";

type AtPath = Parameters<FileOperations["readFile"]>[0];

/** How a file operation goes about links. */
function linksUnder(intent: FileRequest["intent"]): AtPath["links"] {
  return intent.kind === "waived" ? "refuse" : "follow";
}

/** Throws where a place that was found is not what was asked for. */
function refuseElsewhere(asked: PathUri, found: PathUri, { intent }: FileRequest): void {
  const [name, place] = [asked, found].map((uri) => nativeOfUri(uri) ?? uri);
  if (linksUnder(intent) === "follow" || name === place) return;
  const what = `a link leads from there to "${place}", expected that path itself`;
  throw new Refusal("invalidInput", `Cannot change "${name}" outside the sandbox: ${what}`);
}

/** The first word of a script with `ENTER`. */
function firstWord({ intent }: FileRequest): string {
  return linksUnder(intent) === "refuse" ? "held" : "";
}

/** For a script: `enter PATH` sets `$at` to it, or goes to its folder, if that is still the one, and sets `$at` to its name there. */
const ENTER = `held=$1
shift
enter() {
  at=$1
  [ -n "$held" ] || return 0
  folder=\${1%/*}
  at=./\${1##*/}
  cd "\${folder:-/}" && [ "$(pwd -P)" = "\${folder:-/}" ]
}`;

/** What is done to files outside the sandbox, and what else is done to them, goes by these. */
export const heldPlace = { linksUnder, refuseElsewhere, firstWord, ENTER };
