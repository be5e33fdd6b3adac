import { readFileSync } from "node:fs";

/** Every process that `pid` started, and that those started. */
export function descendants(pid) {
  return children(pid).flatMap((child) => [child, ...descendants(child)]);
}

function children(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return text.split(" ").filter(Boolean).map(Number);
  } catch {
    // It has ended.
    return [];
  }
}
