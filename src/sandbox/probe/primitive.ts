/**
 * What a host offers, as a list of answers that a person and a program can both read.
 *
 * A primitive is needed (without it no command is confined), useful (without it
 * one feature is refused) or about the host (it decides nothing, but explains).
 */

export type PrimitiveLevel = "needed" | "useful" | "about";

/** One thing the kernel or the system must offer, with what to do when it does not. */
export interface Primitive {
  readonly name: string;
  readonly level: PrimitiveLevel;
  readonly present: boolean;
  readonly detail: string;
  /** The shortest thing to run that changes the answer; nothing when it is present or nothing helps. */
  readonly fix?: string;
  /** What is refused without it, where it is only useful. */
  readonly feature?: string;
}

export interface HostFacts {
  /** An absolute path; nothing when there is none that can be trusted. */
  readonly bwrap: string | undefined;
  readonly arch: string;
  readonly uid: number;
  readonly primitives: readonly Primitive[];
}

/** What the tier `namespaces` is built from, in the order in which one rests on another. */
export const NEEDED = [
  "bubblewrap",
  "bubblewrap options",
  "user namespaces",
  "network namespaces",
  "process namespaces",
  "other namespaces",
  "system call filters",
] as const;

/** The strongest tier this host can give. What was not asked counts as missing. */
export function bestTier({ primitives }: Pick<HostFacts, "primitives">): "namespaces" | "none" {
  const present = new Set(primitives.filter((one) => one.present).map(({ name }) => name));
  const lacksNone = primitives.every((one) => one.level !== "needed" || one.present);
  return lacksNone && NEEDED.every((name) => present.has(name)) ? "namespaces" : "none";
}
