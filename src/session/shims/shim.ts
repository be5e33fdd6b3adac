/**
 * Programs that stand in a sandbox for those of the same name.
 *
 * Evaluations need the same answer every time and nobody outside who is asked. A
 * shim never runs the program that it stands for: what it does not do it refuses.
 */
import { Refusal } from "../refusal.ts";
import { GH_SHIM } from "./gh-shim.ts";

export interface Shim {
  readonly name: string;
  readonly script: string;
}

/** What a shim answers to, so that it is known before it is needed that it is the one that runs. */
export const SHIM_CHECK = "--writ-shim";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/;
const ANSWERING: Readonly<Record<string, string>> = { gh: GH_SHIM };

/** A shim for each program. `gh` has answers; any other refuses whatever it is asked. */
export function shimsFor(names: readonly string[]): readonly Shim[] {
  if (names.length === 0) throw refusal("there are none", "at least one name");
  const wrong = names.find((name, index) => !NAME.test(name) || names.indexOf(name) !== index);
  if (wrong !== undefined) {
    throw refusal(`${JSON.stringify(wrong)} is no name or is there twice`, "names of programs");
  }
  return names.map((name) => ({ name, script: scriptOf(name) }));
}

function scriptOf(name: string): string {
  const answers = Object.hasOwn(ANSWERING, name) ? ANSWERING[name] : refusing(name);
  return `#!/bin/sh\nif [ "$1" = ${SHIM_CHECK} ]; then printf %s '${name}'; exit 0; fi\n${answers}`;
}

function refusing(name: string): string {
  return `echo '${name} shim: nothing of ${name} is supported here, expected a command without it' >&2\nexit 1\n`;
}

function refusal(is: string, expected: string): Refusal {
  return new Refusal("invalidInput", `Cannot use shims: ${is}, expected ${expected}`);
}
