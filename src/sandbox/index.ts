/** How this host enforces. */
export { type HostQuestion, probeHostRoots } from "./probe-host-roots.ts";
