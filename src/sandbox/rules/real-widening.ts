/**
 * Whether a profile opens what another one does not, by where paths really lead.
 *
 * Names alone do not say: a place that lies within a granted folder by its name
 * may be a link out of it. Both profiles are followed by the same answers, so
 * that what is compared is what a plan made of these answers will mount.
 */
import { type BoundProfile, firstWidening, type Widening } from "../../policy/index.ts";
import type { FileFacts } from "../files/file-facts.ts";
import { SandboxError } from "../sandbox-error.ts";
import type { OwnPaths } from "./own-paths.ts";
import { realRules } from "./real-rules.ts";

export interface WideningFacts {
  readonly files: FileFacts;
  readonly own: OwnPaths;
}

/** `unplanned`: no sandbox could be built for the base now, so it opens nothing. */
export type RealWidening = Widening | { readonly what: "unplanned" };

/** By name first, then where names lead. Throws {@link SandboxError} where `candidate` cannot be planned. */
export function realWidening(
  candidate: BoundProfile,
  base: BoundProfile,
  facts: WideningFacts,
): RealWidening | undefined {
  const named = firstWidening(candidate, base);
  if (named !== undefined || base.enforcement !== "managed") return named;
  const led = ledBy(candidate, facts);
  try {
    return firstWidening(led, ledBy(base, facts));
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    return { what: "unplanned" };
  }
}

/** Throws {@link SandboxError} where a profile opens more than the one that it has to stay within. */
export function refuseWider(
  candidate: BoundProfile,
  base: BoundProfile | undefined,
  facts: WideningFacts,
): void {
  const widening = base && realWidening(candidate, base, facts);
  if (widening !== undefined) throw wider(widening);
}

/** The same for a profile without a sandbox, which opens everything: there are no paths to follow. */
export function refuseUnconfined(candidate: BoundProfile, base: BoundProfile | undefined): void {
  const widening = base && firstWidening(candidate, base);
  if (widening !== undefined) throw wider(widening);
}

function wider(widening: RealWidening): SandboxError {
  const what =
    widening.what === "path"
      ? `it opens "${widening.path}" (${widening.asked})`
      : `it is wider (${widening.what})`;
  return new SandboxError(
    "unenforceableRule",
    `Cannot work under this policy here: ${what}, expected one within the policy of its anchor`,
  );
}

/** Patterns stay as they are written: they hide by every name that leads to a file. */
function ledBy(profile: BoundProfile, { files: facts, own }: WideningFacts): BoundProfile {
  const real = realRules(profile, facts, own).profile;
  const { files } = profile;
  if (files.type === "unrestricted" || real.files.type === "unrestricted") return real;
  const { entries } = real.files;
  return { ...real, files: { ...files, entries } };
}
