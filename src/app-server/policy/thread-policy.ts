/** What a thread is allowed, and who chose it. */
import type { PermissionProfile } from "../../policy/index.ts";

/** Where a policy came from. Only a name can be redefined, so only a name is remembered. */
export type PolicyOrigin =
  | {
      readonly kind: "named";
      readonly id: string;
      readonly extends: string | null;
      /** The workspace roots that it brought; they go with it. */
      readonly roots: readonly string[];
    }
  | { readonly kind: "policy" };

/** The policy of record: symbolic, complete, never the projection that clients are shown. */
export interface ThreadPolicy {
  readonly profile: PermissionProfile;
  readonly origin: PolicyOrigin;
}
