import type { Broadcast } from "../broadcast.ts";
import type { LoadConfig } from "../policy/app-config.ts";
import type { PolicyChooser } from "../policy/policy-chooser.ts";
import type { Threads } from "../threads/threads.ts";

/** What the handlers of every connection work with. */
export interface AppParts {
  readonly threads: Threads;
  readonly chooser: PolicyChooser;
  readonly load: LoadConfig;
  /** Whether commands can be sent to an environment of this id. */
  readonly hasEnvironment: (id: string) => boolean;
  readonly broadcast: Broadcast;
  /** The folder of the server, for paths that are relative. */
  readonly cwd: string;
  /** `$WRIT_HOME`. */
  readonly writHome: string;
  readonly version: string;
  readonly now: () => number;
}
