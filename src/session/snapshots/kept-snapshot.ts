/** What is kept of a snapshot, and the checks it passes on its way out of the store. */
import { z } from "zod";

export const KeptSnapshot = z.strictObject({
  /** Its name with the provider. */
  id: z.string().min(1).max(256),
  profileHash: z.string().regex(/^[0-9a-f]{64}$/),
  provider: z.string().min(1).max(64),
  runtime: z.string().min(1).max(4096),
  /** Milliseconds since 1970. */
  createdAt: z.int().nonnegative(),
  /** What was asked for, a word each. */
  dependencies: z.array(z.string().max(4096)).max(1000),
  bytes: z.int().nonnegative().nullable(),
});
export type KeptSnapshot = Readonly<z.infer<typeof KeptSnapshot>>;

/** A snapshot of a row. Nothing where the row cannot be meant: then it is as if there were none. */
export function snapshotOfRow(row: Readonly<Record<string, unknown>>): KeptSnapshot | undefined {
  const { dependencies, ...rest } = row;
  const read = KeptSnapshot.safeParse({ ...rest, dependencies: listIn(dependencies) });
  return read.success ? read.data : undefined;
}

function listIn(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}
