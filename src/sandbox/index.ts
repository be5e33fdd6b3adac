/** How this host enforces: probe, plan, launch. */
export { buildEnvironment, type EnvironmentPolicy } from "./environment.ts";
export type { LaunchPlan, LaunchRequest, Placeholder } from "./launch-plan.ts";
export { lackOf, planOnHost } from "./plan-on-host.ts";
export { type HostFacts, type Primitive, probeHost } from "./probe-host.ts";
export { type HostQuestion, probeHostRoots, systemOf } from "./probe-host-roots.ts";
export { type RunOptions, type RunOutcome, runPlan } from "./run-plan.ts";
export { SandboxError, type SandboxErrorCode } from "./sandbox-error.ts";
