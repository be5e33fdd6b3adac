/** A thread's policy for a person: what is allowed, its name, and whether the short form says it all. */
import {
  describeEntry,
  type PermissionProfile,
  readCanonicalProfile,
} from "../../../policy/index.ts";
import type { ChatSettings } from "../chat-settings.ts";

/** The policy in a few words. */
export function policyWords({ sandbox, writ }: ChatSettings): string {
  const name = writ.profile === null ? MODE_WORDS[sandbox.type] : writ.profile.id;
  const network = networkWord(readCanonicalProfile(writ.permissionProfile));
  return `${name}, network ${network}`;
}

const MODE_WORDS = {
  dangerFullAccess: "danger-full-access (no sandbox)",
  readOnly: "read-only",
  externalSandbox: "external sandbox",
  workspaceWrite: "workspace-write",
} as const;

/** All of it, a line each. */
export function policyLines(settings: ChatSettings): string[] {
  const { writ, approvalPolicy, sandbox } = settings;
  const { profile, projection, profileDigest, boundDigest } = writ;
  const allowed = readCanonicalProfile(writ.permissionProfile);
  const rows: [string, string][] = [
    ["policy", MODE_WORDS[sandbox.type]],
    ["profile", profile === null ? "" : profileText(profile)],
    ...fileLines(allowed).map((text, index): [string, string] => [
      index === 0 ? "files" : "",
      text,
    ]),
    ["network", networkWord(allowed)],
    ["asks", typeof approvalPolicy === "string" ? approvalPolicy : JSON.stringify(approvalPolicy)],
    ["digest", `${profileDigest.slice(0, 16)}, here ${boundDigest?.slice(0, 16) ?? "not bound"}`],
    ["lossy", projection.lossy ? `yes, "policy" leaves out: ${projection.lost.join("; ")}` : "no"],
  ];
  return rows.flatMap(([name, text]) => (text === "" ? [] : [`${name.padEnd(9)}${text}`]));
}

function profileText({ id, extends: parent, state }: NonNullable<ChatSettings["writ"]["profile"]>) {
  const from = parent === null ? "" : `, extends ${parent}`;
  return `${id}${from}${state === "current" ? "" : `, ${state} since the thread took it`}`;
}

function networkWord(profile: PermissionProfile): string {
  if (profile.type === "disabled") return "on";
  switch (profile.network.kind) {
    case "restricted":
      return "off";
    case "enabled":
      return "on";
    case "ruled":
      return `on for some destinations: ${JSON.stringify(profile.network.rules)}`;
  }
}

function fileLines(profile: PermissionProfile): string[] {
  if (profile.type !== "managed") return ["not restricted by writ"];
  if (profile.fileSystem.type !== "restricted") return ["not restricted"];
  return profile.fileSystem.entries.map(describeEntry);
}
