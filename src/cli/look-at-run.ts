import { createDenialScan, findLeftBehind } from "../sandbox/index.ts";

/** How a run is looked at whose receipt is wanted; loaded only then. */
export const lookAtRun = { denials: createDenialScan, leftBehind: findLeftBehind };
