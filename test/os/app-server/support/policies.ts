/** Policies as clients send them, and how the good ones come back. */
export const WORKSPACE_WRITE = {
  type: "workspaceWrite",
  writableRoots: [] as string[],
  networkAccess: false,
  excludeTmpdirEnvVar: false,
  excludeSlashTmp: false,
};
export const READ_ONLY = { type: "readOnly", networkAccess: false };
export const FULL_ACCESS = { type: "dangerFullAccess" };

/** What cannot be meant, by the case of the turn that it belongs to. */
export const MALFORMED_POLICIES: readonly (readonly [name: string, policy: unknown])[] = [
  ["C05 a type that nobody knows", { type: "nonsense" }],
  ["C06 no type", { networkAccess: false }],
  ["C07 a relative root", { type: "workspaceWrite", writableRoots: ["a"] }],
  ["C08 a type in other letters", { type: "workspace-write" }],
  ["C09 a flag that is a text", { type: "readOnly", networkAccess: "no" }],
  ["C10 a network that nobody knows", { type: "externalSandbox", networkAccess: "some" }],
  ["C11 roots that are no list", { type: "workspaceWrite", writableRoots: "/a" }],
  ["a text", "readOnly"],
  ["a number", 5],
  ["a flag", false],
  ["a list", [{ type: "readOnly" }]],
  ["nothing at all", {}],
  ["roots that are null", { type: "workspaceWrite", writableRoots: null }],
  ["a root with a zero byte", { type: "workspaceWrite", writableRoots: ["/a\0b"] }],
  ["a member in other letters", { type: "workspaceWrite", writable_roots: ["/a"] }],
  ["a member that may be a restriction", { type: "dangerFullAccess", denied: ["/etc"] }],
  ["a member of another type", { type: "readOnly", writableRoots: ["/a"] }],
  ["reads of an unknown kind", { type: "readOnly", access: { type: "some" } }],
  [
    "reads of a relative folder",
    { type: "readOnly", access: { type: "restricted", readableRoots: ["a"] } },
  ],
];
