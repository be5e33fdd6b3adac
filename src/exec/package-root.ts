import { PACKAGE_ROOT as ofSandbox } from "../sandbox/index.ts";

/** The folder of this package, for layers that do not see the one below. */
export const PACKAGE_ROOT = ofSandbox;
