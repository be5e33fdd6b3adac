/** Where the symbols of a policy lead. */
export interface PolicyPlace {
  readonly cwd: string;
  readonly workspaceRoots: readonly string[];
}

/** The places of a thread on one other machine, before a change and after it. */
export interface MovedElsewhere {
  readonly from: PolicyPlace;
  readonly to: PolicyPlace;
}
