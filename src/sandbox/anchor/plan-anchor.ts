import type { AbsolutePath } from "../../policy/index.ts";
import type { LaunchPlan } from "../launch-plan.ts";

/**
 * A process that holds a network of its own, and nothing else. Pure.
 *
 * It is a sandbox whose gate is never opened: bubblewrap brings up the loopback, shuts itself into
 * an empty folder without a capability and waits there, for an end that comes with writ's own. No
 * program is ever started in it. Without a `/dev` of its own there is one user namespace only, the
 * one that the network belongs to.
 */
export function planAnchor(bwrap: AbsolutePath): LaunchPlan {
  return {
    tier: "namespaces",
    prefix: [],
    argv: [
      bwrap,
      ...["--unshare-user", "--unshare-net", "--die-with-parent"],
      ...["--cap-drop", "ALL"],
      ...["--tmpfs", "/", "--remount-ro", "/"],
      ...["--block-fd", "3", "--seccomp", "4", "--json-status-fd", "5"],
      ...["--", "/"],
    ],
    cwd: "/" as AbsolutePath,
    env: {},
    terminal: "none",
    descriptors: [{ kind: "built" }, { kind: "gate", bytes: new Uint8Array() }, { kind: "status" }],
    placeholders: [],
    watched: [],
    fleeting: [],
    expectedMounts: [{ path: "/" as AbsolutePath, readOnly: true }],
    launchFiles: [],
    limits: undefined,
  };
}
