import fs from "node:fs";
import type { LaunchPlan } from "../launch-plan.ts";
import { pathIdentities } from "../run/path-identity.ts";

/**
 * What a sandbox of this plan would be made of now: each file and folder that it shows or covers, its
 * shell, and what this host lists of its mounts. A sandbox that was made of something else is another one.
 */
export function hostStateOf({ argv, descriptors, watched, cwd }: LaunchPlan): string {
  const shown = descriptors.flatMap((one) => (one.kind === "path" ? [one.path] : []));
  const [shell = ""] = argv.slice(argv.indexOf("--") + 1);
  const identities = pathIdentities([...shown, ...watched, cwd, shell]);
  const mounts = fs.readFileSync("/proc/self/mountinfo", "latin1");
  return `${[...identities.values()].join("\n")}\n${mounts}`;
}
