/** What a policy is chosen by, and what comes of it. */
import type { BoundProfile } from "../../policy/index.ts";
import type { AppConfig, ConfigOverrides } from "./app-config.ts";
import type { ProfileState } from "./echo-policy.ts";
import type { PolicyAsk } from "./policy-ask.ts";
import type { MovedElsewhere, PolicyPlace } from "./policy-place.ts";
import type { SeenFolder } from "./see-folders.ts";
import type { ThreadPolicy } from "./thread-policy.ts";

export interface PolicyRequest {
  readonly ask: PolicyAsk;
  /** Absolute. */
  readonly cwd: string;
  /** Null: those that follow from the rest. */
  readonly roots: readonly string[] | null;
  readonly overrides: ConfigOverrides;
  /** Set where the thread works on another machine, and goes on there. */
  readonly elsewhere?: MovedElsewhere | undefined;
}

export interface CurrentPolicy {
  readonly policy: ThreadPolicy;
  readonly place: PolicyPlace;
  /** Where its folders led when they were taken. */
  readonly seen: readonly SeenFolder[];
}

export interface ChosenPolicy extends CurrentPolicy {
  readonly bound: BoundProfile;
  readonly state: ProfileState;
  readonly config: AppConfig;
}
