import fs from "node:fs";

/** Which namespace a path or a descriptor leads to; nothing where it leads nowhere. */
export function namespaceAt(place: string | number): string | undefined {
  try {
    const { dev, ino } = typeof place === "number" ? fs.fstatSync(place) : fs.statSync(place);
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
