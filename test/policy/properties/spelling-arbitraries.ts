/** Generators for what matters on a wire: odd names, foreign paths, policies of every dialect. */
import fc from "fast-check";
import {
  type Entry,
  type ExecContext,
  type Generation,
  modeOfProfile,
  type PathUri,
  type PermissionProfile,
  profileOfPolicy,
  type ReadOnlyAccess,
  type SandboxPolicy,
  type SandboxState,
  uriOfNative,
} from "../../../src/policy/index.ts";
import { access, limits, network, unixSockets } from "./arbitraries.ts";

const oddCharacter = fc.constantFrom(
  ...("abZ09 %?#é🙂~:;@&=+$,[]{}()*!'|\"<>^`-_.".match(/./gsu) ?? []),
  "\\",
  "%2F",
  "%2e",
  "%00",
  "\n",
  "e\u0301",
);

const oddName = fc
  .oneof(
    fc.array(oddCharacter, { minLength: 1, maxLength: 5 }).map((chars) => chars.join("")),
    fc.constantFrom("C:", "c:", "C|", "...", ".git", "localhost", "bad", "%00"),
  )
  .filter((name) => name !== "." && name !== "..");

/** Folded POSIX paths, the root and names that look like drives included. */
export const posixPath: fc.Arbitrary<string> = fc
  .array(oddName, { maxLength: 4 })
  .map((names) => `/${names.join("/")}`);

const windowsName = oddName
  .map((name) => name.replace(/[\\/]/g, "_"))
  .filter((name) => name !== "." && name !== "..");

const drivePath = fc
  .tuple(fc.constantFrom("C", "D", "Z"), fc.array(windowsName, { maxLength: 3 }))
  .map(([drive, names]) => `${drive}:\\${names.join("\\")}`);

const sharePath = fc
  .tuple(
    fc.constantFrom("server", "files.example", "localhost", "a b", "?"),
    windowsName,
    fc.array(windowsName, { maxLength: 2 }),
  )
  .filter(([server, share]) => server !== "?" || !/^([A-Za-z]:|UNC)$/i.test(share))
  .map(([server, share, names]) => `\\\\${[server, share, ...names].join("\\")}`);

/** Folded Windows paths on drives, shares and in namespaces that no URI has words for. */
export const windowsPath: fc.Arbitrary<string> = fc.oneof(drivePath, sharePath);

export const nativePath: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: posixPath },
  { weight: 1, arbitrary: drivePath },
);

export const pathUri: fc.Arbitrary<PathUri> = nativePath.map(uriOfNative);

const subpathText = fc
  .array(oddName, { minLength: 1, maxLength: 3 })
  .map((names) => names.join("/"))
  .filter((text) => !text.includes("\\") && !/^[A-Za-z]:/.test(text));

const below = fc.oneof(
  fc.constant({}),
  subpathText.map((subpath) => ({ subpath })),
);

const target = fc.oneof(
  pathUri.map((path) => ({ type: "path", path })),
  fc.constantFrom("root", "minimal", "tmpdir", "slashTmp").map((type) => ({ type })),
  below.map((more) => ({ type: "workspaceRoots", ...more })),
  fc
    .tuple(fc.constantFrom(":later", "odd token", ":root"), below)
    .map(([token, more]) => ({ type: "unknown", token, ...more })),
);

const mark = fc.constantFrom({}, { missing: "skip" });

const wireEntry = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(target, access, mark).map(([where, word, more]) => ({
      target: where,
      access: word,
      ...more,
    })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom(
          ["absolute", "/srv/**/*.env"],
          ["absolute", "/a b/[!x]?"],
          ["absolute", "C:\\x\\*.env"],
          ["cwd", "*.{env,key}"],
          ["cwd", "sub/é*"],
          ["workspaceRoots", "**/secret/**"],
        ),
        mark,
      )
      .map(([[base, pattern], more]) => ({
        target: { type: "glob", base, pattern },
        access: "deny",
        ...more,
      })),
  },
);

const depth = fc.constantFrom({}, { globScanMaxDepth: 1 }, { globScanMaxDepth: 7 });

const someLimits = fc.oneof(
  fc.constant({}),
  limits.map((most) => ({ limits: most })),
);

/** Members of a profile that has a sandbox. */
const stated = fc
  .tuple(someLimits, unixSockets)
  .map(([most, sockets]) => ({ ...most, unixSockets: sockets }));

/** Profiles with everything that a wire can say. */
export const wireProfile: fc.Arbitrary<PermissionProfile> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.array(wireEntry, { maxLength: 5 }), depth, network, stated)
      .map(([entries, more, rules, most]) =>
        profile({
          type: "managed",
          fileSystem: { type: "restricted", entries: entries as unknown as Entry[], ...more },
          network: rules,
          ...most,
        }),
      ),
  },
  fc.tuple(network, stated).map(([rules, most]) =>
    profile({
      type: "managed",
      fileSystem: { type: "unrestricted" },
      network: rules,
      ...most,
    }),
  ),
  someLimits.map((most) => profile({ type: "disabled", ...most })),
  fc
    .tuple(network, stated)
    .map(([rules, most]) => profile({ type: "external", network: rules, ...most })),
);

const roots = fc.array(nativePath, { maxLength: 3 });

const readAccess: fc.Arbitrary<ReadOnlyAccess> = fc.oneof(
  fc.constant<ReadOnlyAccess>({ type: "fullAccess" }),
  fc.record({
    type: fc.constant<"restricted">("restricted"),
    includePlatformDefaults: fc.boolean(),
    readableRoots: roots,
  }),
);

export const sandboxPolicy: fc.Arbitrary<SandboxPolicy> = fc.oneof(
  fc.constant<SandboxPolicy>({ type: "dangerFullAccess" }),
  fc.record({
    type: fc.constant<"readOnly">("readOnly"),
    access: readAccess,
    networkAccess: fc.boolean(),
  }),
  fc.record({
    type: fc.constant<"externalSandbox">("externalSandbox"),
    networkAccess: fc.constantFrom<"restricted" | "enabled">("restricted", "enabled"),
  }),
  fc.record({
    type: fc.constant<"workspaceWrite">("workspaceWrite"),
    writableRoots: roots,
    readOnlyAccess: readAccess,
    networkAccess: fc.boolean(),
    excludeTmpdirEnvVar: fc.boolean(),
    excludeSlashTmp: fc.boolean(),
  }),
);

const context = fc.record(
  { cwd: pathUri, workspaceRoots: fc.array(pathUri, { maxLength: 2 }) },
  { requiredKeys: ["workspaceRoots"] },
);

const settings = fc.record(
  {
    windowsSandboxLevel: fc.constantFrom("disabled", "restricted-token", "elevated", "mxc"),
    windowsSandboxPrivateDesktop: fc.boolean(),
    windowsSandboxProxySettingsMode: fc.constantFrom("reconcile", "preserve"),
    useLegacyLandlock: fc.boolean(),
    userHomeDir: pathUri,
    temporaryDirectories: fc.array(pathUri, { maxLength: 2 }),
  },
  { requiredKeys: ["windowsSandboxLevel"] },
);

export const execContext: fc.Arbitrary<ExecContext> = fc
  .tuple(wireProfile, context, fc.option(context, { nil: undefined }), settings)
  .map(([permissions, where, policyContext, rest]) => ({
    profile: permissions,
    ...where,
    ...(policyContext && { policyContext }),
    settings: rest as ExecContext["settings"],
  }));

/** A state of each generation, with exactly the members that generation has. */
export const sandboxState: fc.Arbitrary<SandboxState> = fc
  .record({
    generation: fc.constantFrom<Generation>("G1", "G2", "G3", "G4"),
    permissions: wireProfile,
    policy: sandboxPolicy,
    cwd: pathUri,
    codexLinuxSandboxExe: fc.option(fc.constantFrom("/x/codex-linux-sandbox")),
    useLegacyLandlock: fc.boolean(),
    mxc: fc.boolean(),
  })
  .map(({ generation, permissions, policy, mxc, ...rest }) => ({
    ...rest,
    generation,
    profile: generation === "G1" ? profileOfPolicy(policy) : permissions,
    ...((generation === "G1" || generation === "G2") && { sandboxPolicy: policy }),
    ...(generation === "G4" && { useMxc: mxc }),
  }))
  .filter(({ profile: fine, sandboxPolicy: coarse }) => !coarse || agrees(fine, coarse));

/** A policy beside a profile is its projection, so it is at least as wide. */
function agrees(fine: PermissionProfile, coarse: SandboxPolicy): boolean {
  const width = {
    "read-only": 0,
    "workspace-write": 1,
    "danger-full-access": 2,
    "external-sandbox": 2,
  };
  const wide = width[modeOfProfile(profileOfPolicy(coarse))];
  return modeOfProfile(fine) === "external-sandbox" || width[modeOfProfile(fine)] <= wide;
}

function profile(value: PermissionProfile): PermissionProfile {
  return value;
}
