/**
 * Makes the shelf of a sandbox hold the skills of now, by what its manifest says is there.
 *
 * The manifest goes first and comes last: a sync that was cut off leaves none,
 * and the next one begins with an empty shelf.
 */
import type { ShelfChange, ShelvedFile } from "../../../exec/index.ts";
import type { FileRequest, ProvidedSandbox } from "../../provider/provided-sandbox.ts";
import type { ProvidedShelf } from "../../provider/provided-shelf.ts";
import { codeOf } from "../../refusal.ts";
import { SHELVED_SKILLS } from "../on-shelf.ts";
import type { Skill, SkillFile } from "../skill.ts";
import { diffManifests } from "./diff-manifests.ts";
import { type Manifest, type ManifestEntry, parseManifest, writeManifest } from "./manifest.ts";
import { contentOf, digestOf, type SkillDigests } from "./skill-digests.ts";

export interface SkillsToSync {
  readonly skills: readonly Skill[];
  readonly digests: SkillDigests;
  /** What was sent to sandboxes whose own word counts for nothing. */
  readonly sent: WeakMap<ProvidedSandbox, Manifest>;
}

/** What a sync did. */
export interface SyncReport {
  readonly written: number;
  readonly removed: number;
}

const MANIFEST = "skills.manifest";
/** What one call carries, besides the file that goes beyond it. */
const CALL_BYTES = 4 << 20;
const NOTHING: SyncReport = { written: 0, removed: 0 };

/** Nothing is sent where nothing changed. A sandbox without a shelf has no skills. */
export async function syncSkills(
  sandbox: ProvidedSandbox,
  { skills, digests, sent }: SkillsToSync,
  under: FileRequest,
): Promise<SyncReport> {
  const { shelf } = sandbox;
  if (shelf === null) return NOTHING;
  const found = shelf.isGuarded
    ? await manifestIn(sandbox, shelf, under)
    : (sent.get(sandbox) ?? "unknown");
  const sources = new Map(skills.flatMap(sourcesOf));
  const want = manifestOf(sources, digests);
  digests.keepOnly(skills);
  if (found === "absent" && want.size === 0) return NOTHING;
  const have: Manifest = typeof found === "string" ? new Map() : found;
  const { write, remove } = diffManifests(have, want);
  const isKnown = typeof found !== "string";
  if (isKnown && write.length + remove.length === 0) return NOTHING;
  const files = write.flatMap((path) => shelved(path, sources, want));
  const last = { path: MANIFEST, content: Buffer.from(writeManifest(want)), isExecutable: false };
  const before = { isEmptied: !isKnown, remove: [MANIFEST, ...remove] };
  sent.delete(sandbox);
  await send({ ...before, write: shelf.isGuarded ? [...files, last] : files }, shelf, under);
  if (!shelf.isGuarded) sent.set(sandbox, want);
  return { written: files.length, removed: remove.length };
}

async function send(
  { write, ...before }: ShelfChange,
  shelf: ProvidedShelf,
  under: FileRequest,
): Promise<void> {
  for (const [at, part] of parts(write).entries()) {
    const first = at === 0 ? before : { isEmptied: false, remove: [] };
    await shelf.stock({ ...first, write: part }, under);
  }
}

interface Source {
  readonly skill: Skill;
  readonly file: SkillFile;
}

function sourcesOf(skill: Skill): [string, Source][] {
  return skill.files.map((file) => [
    `${SHELVED_SKILLS}/${skill.name}/${file.path}`,
    { skill, file },
  ]);
}

function manifestOf(
  sources: ReadonlyMap<string, Source>,
  digests: SkillDigests,
): Map<string, ManifestEntry> {
  const manifest = new Map<string, ManifestEntry>();
  for (const [path, { skill, file }] of sources) {
    const digest = digests.digestOf(skill, file);
    if (digest !== undefined) manifest.set(path, { digest, isExecutable: file.isExecutable });
  }
  return manifest;
}

/** What is sent is what the manifest then says, also where it has changed since the look. */
function shelved(
  path: string,
  sources: ReadonlyMap<string, Source>,
  want: Map<string, ManifestEntry>,
): ShelvedFile[] {
  const source = sources.get(path);
  const content = source && contentOf(source.skill, source.file);
  if (source === undefined || content === undefined) {
    want.delete(path);
    return [];
  }
  const { isExecutable } = source.file;
  want.set(path, { digest: digestOf(content), isExecutable });
  return [{ path, content, isExecutable }];
}

function parts(files: readonly ShelvedFile[]): ShelvedFile[][] {
  const all: ShelvedFile[][] = [[]];
  let bytes = 0;
  for (const file of files) {
    if (bytes > CALL_BYTES) {
      all.push([]);
      bytes = 0;
    }
    all.at(-1)?.push(file);
    bytes += file.content.length;
  }
  return all;
}

/** One that cannot be read, or is none, says nothing about the shelf. */
async function manifestIn(
  sandbox: ProvidedSandbox,
  { path }: ProvidedShelf,
  under: FileRequest,
): Promise<Manifest | "absent" | "unknown"> {
  try {
    const bytes = await sandbox.readFileToBuffer(`${path}/${MANIFEST}`, under);
    return bytes === null ? "absent" : (parseManifest(bytes.toString()) ?? "unknown");
  } catch (error) {
    if (codeOf(error) !== "forbidden") throw error;
    return "unknown";
  }
}
