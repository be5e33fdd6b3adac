import type { LaunchPlan } from "./launch-plan.ts";

/** What a plan says of mounts where the back-end makes none. */
export const NO_MOUNTS = {
  placeholders: [],
  watched: [],
  fleeting: [],
  expectedMounts: [],
  launchFiles: [],
} as const satisfies Partial<LaunchPlan>;
