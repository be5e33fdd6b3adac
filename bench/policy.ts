/** What a policy costs: reading, binding, compiling, and the look-up that every file operation pays. */
import {
  type AbsolutePath,
  accessTo,
  type BoundProfile,
  bindProfile,
  compileAccess,
  type HostRoots,
  PROTECTED_NAMES,
  parseAbsolutePath,
  policyForMode,
  profileDigest,
  profileOfPolicy,
  readCanonicalProfile,
  writeCanonicalProfile,
} from "../src/policy/index.ts";
import { type Figure, measure, readable, type Subject } from "./measure.ts";

const at = parseAbsolutePath;

const HOST: HostRoots = {
  system: "linux",
  cwd: at("/srv/project"),
  workspaceRoots: [at("/srv/project")],
  tmpdir: at("/var/tmp/user"),
  slashTmp: at("/tmp"),
  platformDefaults: [at("/usr"), at("/etc")],
  protectedNames: PROTECTED_NAMES,
  externalSandbox: "absent",
};

const DEFAULT = writeCanonicalProfile(profileOfPolicy(policyForMode("workspace-write")), "refuse");

/** Prints the table and the ratio that docs/policy.md states. */
export function policyBench(): void {
  const figures = measure(
    [
      ...stages("default workspace", DEFAULT),
      ...stages("10,000 entries", wide(10_000)),
      lookups("look-up, 10 entries", 10),
      lookups("look-up, 10,000 entries", 10_000),
    ],
    21,
  );
  for (const { name, median } of figures) {
    process.stdout.write(`${name.padEnd(34)} ${readable(median).padStart(10)}\n`);
  }
  const [few, many] = figures.slice(-2) as [Figure, Figure];
  process.stdout.write(`look-ups per second: ${perSecond(few)} and ${perSecond(many)}\n`);
  process.stdout.write(`ratio, 10 to 10,000 entries: ${(many.median / few.median).toFixed(2)}\n`);
}

function stages(name: string, wire: unknown): Subject[] {
  const profile = readCanonicalProfile(wire);
  const bound = bindProfile(profile, HOST);
  return [
    { name: `read, ${name}`, run: (times) => repeat(times, () => readCanonicalProfile(wire)) },
    { name: `bind, ${name}`, run: (times) => repeat(times, () => bindProfile(profile, HOST)) },
    // A copy is a profile of its own, so nothing compiled before is found again.
    { name: `compile, ${name}`, run: (times) => repeat(times, () => compileAccess({ ...bound })) },
    { name: `digest, ${name}`, run: (times) => repeat(times, () => profileDigest(profile)) },
  ];
}

/** Entries that overlap: in every folder a read and, below it, a write or a deny. */
function wide(count: number) {
  const access = ["read", "write", "deny"] as const;
  const entries = Array.from({ length: count }, (_, index) => ({
    path: { type: "path", path: pathOf(index) },
    access: access[index % access.length],
  }));
  return { type: "managed", file_system: { type: "restricted", entries }, network: "restricted" };
}

function pathOf(index: number): string {
  const folder = `/srv/folder-${index % 100}/part-${Math.floor(index / 100)}`;
  return index % 2 === 0 ? folder : `${folder}/inner`;
}

function lookups(name: string, count: number): Subject {
  const bound: BoundProfile = bindProfile(readCanonicalProfile(wide(count)), HOST);
  const paths: AbsolutePath[] = Array.from({ length: 1024 }, (_, index) =>
    at(`${pathOf((index * 7) % count)}/src/deep/file-${index}.ts`),
  );
  return {
    name,
    run(times) {
      for (let index = 0; index < times; index += 1) {
        accessTo(bound, paths[index % paths.length] as AbsolutePath);
      }
    },
  };
}

function repeat(times: number, work: () => unknown): void {
  for (let index = 0; index < times; index += 1) work();
}

function perSecond({ median }: Figure): string {
  return `${(1e9 / median / 1e6).toFixed(2)} million`;
}
