/** How this host enforces: probe, plan, launch. */
export { buildEnvironment, type EnvironmentPolicy } from "./environment.ts";
export type { LaunchPlan, LaunchRequest, Placeholder } from "./launch-plan.ts";
export type { OwnPaths } from "./linux/own-paths.ts";
export { recordsFolder } from "./placeholders/records-folder.ts";
export { lackOf, planOnHost } from "./plan-on-host.ts";
export { bestTier, type HostFacts, type Primitive } from "./probe/primitive.ts";
export { probeHost } from "./probe/probe-host.ts";
export { type HostQuestion, probeHostRoots, systemOf } from "./probe-host-roots.ts";
export { type RunOptions, runPlan } from "./run/run-plan.ts";
export {
  type RunningSandbox,
  type RunOutcome,
  type StartOptions,
  startPlan,
} from "./run/start-plan.ts";
export { SandboxError, type SandboxErrorCode } from "./sandbox-error.ts";
