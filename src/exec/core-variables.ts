import type { InheritedVariables } from "./start-request.ts";

/** Nothing of an executor but what a program needs to start. */
export const CORE_VARIABLES: InheritedVariables = {
  inherit: "core",
  ignoreDefaultExcludes: false,
  exclude: [],
  set: {},
  includeOnly: [],
};
