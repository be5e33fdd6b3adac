import { fileURLToPath } from "node:url";

/** The folder of this package. Two above: this file, and the bundle it may be in, lie equally deep. */
export const PACKAGE_ROOT = fileURLToPath(new URL("../../", import.meta.url));
