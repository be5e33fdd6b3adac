/**
 * What lies on a shelf, by the digests of its contents. Pure.
 *
 * It is kept on the shelf itself, where commands cannot write, so whoever finds
 * a sandbox again knows what is in it. A line each, since no name holds a line break.
 */
export interface ManifestEntry {
  readonly digest: string;
  readonly isExecutable: boolean;
}

/** By path, from the top of the shelf. */
export type Manifest = ReadonlyMap<string, ManifestEntry>;

const FIRST = "writ-skills 1";
const LINE = /^([0-9a-f]{64}) ([x-]) (.+)$/;

export function writeManifest(manifest: Manifest): string {
  const lines = [...manifest]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, { digest, isExecutable }]) => `${digest} ${isExecutable ? "x" : "-"} ${path}`);
  return [FIRST, ...lines, ""].join("\n");
}

/** Undefined where it is none, or not a whole one: then nobody knows what is there. */
export function parseManifest(text: string): Manifest | undefined {
  const [first, ...lines] = text.split("\n");
  if (first !== FIRST || lines.pop() !== "") return undefined;
  const manifest = new Map<string, ManifestEntry>();
  for (const line of lines) {
    const [, digest, mark, path] = LINE.exec(line) ?? [];
    if (digest === undefined || path === undefined) return undefined;
    manifest.set(path, { digest, isExecutable: mark === "x" });
  }
  return manifest;
}
