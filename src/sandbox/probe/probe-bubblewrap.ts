import { fixByPackage } from "./fix-for.ts";
import type { Primitive } from "./primitive.ts";
import { runBounded } from "./run-bounded.ts";
import type { HostTraits } from "./traits/host-traits.ts";

/** Newer than the oldest bubblewrap in use; a distribution may have ported them back. */
const OPTIONS = ["--bind-fd", "--ro-bind-fd", "--json-status-fd", "--perms", "--seccomp"];

/** The options that `bwrap --help` lists. */
export function optionsIn(help: string): ReadonlySet<string> {
  return new Set([...help.matchAll(/^\s+(--[a-z0-9-]+)/gm)].map(([, option = ""]) => option));
}

/** Whether the bubblewrap that was found runs, and knows the options that writ uses. */
export async function probeBubblewrap(bwrap: string, traits: HostTraits): Promise<Primitive[]> {
  const [version, help] = await Promise.all([
    runBounded([bwrap, "--version"]),
    runBounded([bwrap, "--help"]),
  ]);
  const runs = version.status === 0;
  const about = runs ? version.stdout.trim().replace(/^bubblewrap /, "version ") : version.failure;
  const lacking = OPTIONS.filter((option) => !optionsIn(help.stdout).has(option));
  const level = "needed";
  return [
    { name: "bubblewrap", level, present: runs, detail: `${bwrap}, ${about}` },
    {
      name: "bubblewrap options",
      level,
      present: lacking.length === 0,
      detail:
        lacking.length === 0 ? `all ${OPTIONS.length} that writ uses` : `no ${lacking.join(", ")}`,
      // Also upgrades: every package manager here takes it so.
      ...(runs && lacking.length > 0 && { fix: fixByPackage("bubblewrap", traits) }),
    },
  ];
}
