/**
 * What the sandboxes of a thread are to have beside what their machine has.
 *
 * A profile is read strictly: what it names is installed by running the code of
 * strangers, so nothing in it is guessed and no name is anything but a name.
 */
import { z } from "zod";
import { PolicyError, readShape } from "../../policy/index.ts";

const MOST = 200;
const MOST_CHARACTERS = 1000;

/** What npm takes for a file, as a name and as a version. */
const isNoFile = (text: string) => !/\.(?:tgz|tar|tar\.gz)$/i.test(text);
const NO_FILE = "expected no name of a file";

/** As npm names packages; neither a URL nor a flag is one. */
const PackageName = z
  .string()
  .max(214)
  .refine(isNoFile, NO_FILE)
  .regex(/^(?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*$/, "expected a name of a package");

/** A version, a range of them or a tag. Nothing that names a place: no file, no repository, no alias. */
const PackageVersion = z
  .string()
  .max(128)
  .refine(isNoFile, NO_FILE)
  .regex(/^[\^~<>=]{0,2}[0-9A-Za-z*][0-9A-Za-z.*+ <>=~^|-]*$/, "expected a version, range or tag");

const Word = z.string().max(MOST_CHARACTERS);
const SystemName = z
  .string()
  .max(214)
  .regex(/^[A-Za-z0-9][A-Za-z0-9.+_-]*$/, "expected a name of a package");

const Registry = z
  .string()
  .max(MOST_CHARACTERS)
  .refine(isPlain, "expected https:// without a user, or http:// on the loopback");

export const DependencyProfile = z
  .strictObject({
    /** Names with what is wanted of each. */
    npm: z.record(PackageName, PackageVersion).default({}),
    /** Programs with their arguments, run in this order after the packages are there. */
    postinstall: z
      .array(z.tuple([Word.min(1)], Word))
      .max(MOST)
      .default([]),
    system: z.array(SystemName).max(MOST).default([]),
    /** Whether the build may use the network of the machine; without a word it may not. */
    network: z.boolean().default(false),
    registry: Registry.optional(),
    /** Any text; another one makes another snapshot. */
    epoch: z.string().max(128).default(""),
    /** Whether commands may write beside what is installed; it stays in their session. */
    writable: z.boolean().default(false),
    /** How long what was built from versions that move is good; 0 for one boot. */
    maxAgeHours: z
      .int()
      .nonnegative()
      .max(24 * 365)
      .default(7 * 24),
  })
  .meta({ id: "DependencyProfile", description: "What sandboxes have beside their machine." });
export type DependencyProfile = Readonly<z.infer<typeof DependencyProfile>>;

/**
 * Reads a profile in one spelling: sorted, each name once. Null where it asks for nothing.
 * Throws {@link PolicyError}; `where` begins the name of a member.
 */
export function parseDependencies(value: unknown, where: string): DependencyProfile | null {
  const read = readShape(DependencyProfile, value, where);
  const names = Object.keys(read.npm).sort();
  const refuse = (what: string) => new PolicyError("malformed", `Cannot use "${where}": ${what}`);
  if (names.length > MOST) throw refuse(`it has ${names.length} packages, expected ${MOST}`);
  if (names.length > 0 && !read.network) {
    throw refuse('packages of npm come over the network, expected "network = true" with them');
  }
  if (read.registry !== undefined && names.length === 0) {
    throw refuse('"registry" is for packages of npm and there are none, expected some');
  }
  if (names.length === 0 && read.postinstall.length === 0 && read.system.length === 0) return null;
  return {
    ...read,
    npm: Object.fromEntries(names.map((name) => [name, read.npm[name] ?? ""])),
    system: [...new Set(read.system)].sort(),
  };
}

function isPlain(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "") return false;
  if (url.search !== "" || url.hash !== "") return false;
  if (url.protocol === "https:") return true;
  return url.protocol === "http:" && ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
}
