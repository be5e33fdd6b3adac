/** Members of requests that a client may send only after it asked for experimental parts. */

/** By method; a member counts when it is there and not null, also when it is empty. */
export const EXPERIMENTAL_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  "thread/start": [
    "permissions",
    "runtimeWorkspaceRoots",
    "environments",
    "dynamicTools",
    "mockExperimentalField",
    "experimentalRawEvents",
  ],
  "thread/resume": ["permissions", "runtimeWorkspaceRoots"],
  "thread/fork": ["permissions", "runtimeWorkspaceRoots"],
  "turn/start": ["permissions", "environments", "runtimeWorkspaceRoots"],
  "command/exec": ["permissionProfile"],
};

/** What a gate calls an `approvalPolicy` that is an object with `granular`, on any method. */
export const EXPERIMENTAL_APPROVAL = "askForApproval.granular";
