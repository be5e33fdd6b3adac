/**
 * The policy that Seatbelt reads, section by section.
 *
 * A later rule wins over an earlier one, so what allows comes first, then what
 * patterns deny, then what must stay in place. The text is printed from a tree;
 * paths travel beside it as parameters.
 */
import { accessTo, parseAbsolutePath } from "../../policy/index.ts";
import type { LaunchRequest } from "../launch-plan.ts";
import { SandboxError } from "../sandbox-error.ts";
import { baseRules, terminalRules } from "./base-rules.ts";
import { denyRules } from "./deny-rules.ts";
import { fileRules, isFullRead, type RuleSources } from "./file-rules.ts";
import { networkRules } from "./network-rules.ts";
import { Parameters } from "./parameters.ts";
import { pinRules } from "./pin-rules.ts";
import { PLATFORM_RULES, PREFERENCE_RULES, SYSTEM_LIBRARIES } from "./platform-rules.ts";
import { printSbpl } from "./print-sbpl.ts";
import type { Sbpl } from "./sbpl.ts";

export interface SeatbeltPolicy {
  readonly text: string;
  /** One `-DNAME=path` for each parameter of the text. */
  readonly flags: readonly string[];
}

/** Everything on a command line shares a megabyte with the environment. */
const MAX_POLICY = 256 * 1024;

/** The policy for a profile whose links were followed. Throws {@link SandboxError} when it is too long. */
export function planPolicy(
  request: Pick<LaunchRequest, "profile" | "terminal">,
  facts: Omit<RuleSources, "parameters">,
): SeatbeltPolicy {
  const parameters = new Parameters();
  const text = printSections(sectionsOf(request, { ...facts, parameters }));
  refuseTooLong([text, ...parameters.flags]);
  return { text, flags: parameters.flags };
}

interface Section {
  readonly title: string;
  readonly rules: readonly Sbpl[];
}

/** In this order: what allows, then what denies, then what must stay in place. */
function sectionsOf(
  { profile, terminal }: Pick<LaunchRequest, "profile" | "terminal">,
  sources: RuleSources,
): Section[] {
  const full = isFullRead(profile);
  const files = fileRules(sources);
  const denied = denyRules(profile, sources);
  return [
    { title: "base", rules: baseRules(terminal) },
    { title: "read", rules: files.read },
    { title: "write", rules: files.write },
    { title: "network", rules: networkRules(profile, sources, denied) },
    { title: "preferences", rules: full ? PREFERENCE_RULES : [] },
    { title: "platform defaults", rules: opensPlatform(sources) ? PLATFORM_RULES : [] },
    { title: "deny patterns", rules: [...terminalRules(terminal), ...denied.rules] },
    { title: "pins", rules: pinRules(sources, denied.matches) },
  ];
}

/** Where `/` itself is open, so is all that these rules would open. */
function opensPlatform({ real }: RuleSources): boolean {
  const isOpen = (path: string) => accessTo(real.profile, parseAbsolutePath(path)) !== "deny";
  return !isOpen("/") && isOpen(SYSTEM_LIBRARIES);
}

function printSections(sections: readonly Section[]): string {
  return sections
    .filter(({ rules }) => rules.length > 0)
    .flatMap(({ title, rules }) => [`; ${title}`, ...rules.map((one) => printSbpl(one))])
    .join("\n");
}

function refuseTooLong(texts: readonly string[]): void {
  const size = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (size <= MAX_POLICY) return;
  throw new SandboxError(
    "unenforceableRule",
    `Cannot enforce the profile: its policy has ${size} bytes, expected at most ${MAX_POLICY}`,
  );
}
