/**
 * The record of what is held: one file a user of the host, readable by all.
 *
 * Other users must be able to see what somebody still needs before they take
 * it away; only its owner writes it, and no command can.
 */
import fs from "node:fs";
import path from "node:path";
import { z } from "zod";

const Held = z.strictObject({
  path: z.string().startsWith("/"),
  kind: z.enum(["file", "folder"]),
  /** When it was about to be made, in milliseconds; nothing when it was there. */
  madeAfter: z.number().optional(),
  /** The very thing that was made; nothing when nobody lived to write it down. */
  made: z.string().optional(),
  users: z.array(z.string()),
});

/** One path that sandboxes need, and who they are. */
export type HeldPath = Readonly<z.infer<typeof Held>>;

/** What is held now. A record that cannot be read is empty: it only names what may be removed. */
export function readPlaceholderRegistry(folder: string): Map<string, HeldPath> {
  try {
    const list = z.array(Held).parse(JSON.parse(fs.readFileSync(fileIn(folder), "utf8")));
    return new Map(list.map((one) => [one.path, one]));
  } catch {
    return new Map();
  }
}

/** Replaces the record as a whole, so that a kill leaves the old one or the new one. */
export function writePlaceholderRegistry(
  folder: string,
  held: ReadonlyMap<string, HeldPath>,
): void {
  const draft = `${fileIn(folder)}.draft`;
  fs.writeFileSync(draft, JSON.stringify([...held.values()]), { mode: 0o644 });
  fs.renameSync(draft, fileIn(folder));
}

/** Everybody on this host who says that they need the path, other than the owner of `folder`. */
export function usersElsewhere(folder: string, held: string): string[] {
  const [parent, own] = [path.dirname(folder), path.basename(folder)];
  const prefix = own.replace(/\d+$/, "");
  const others = fs.readdirSync(parent).filter((name) => name.startsWith(prefix) && name !== own);
  return others.flatMap((name) => {
    return readPlaceholderRegistry(path.join(parent, name)).get(held)?.users ?? [];
  });
}

function fileIn(folder: string): string {
  return path.join(folder, "held.json");
}
