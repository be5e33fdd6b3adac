/** What a command can do with each path, tried inside a sandbox; nothing it makes stays. */
import path from "node:path";
import { PROBED } from "./oracle-case.ts";

/** `create`: it is not there, and the command can make it; `none`: it is not there, and cannot be made. */
export type Reach = "write" | "read" | "deny" | "create" | "none";

/** True when `one` lets a command do something that `other` does not; `exists` says whether the host has the path. */
export function isLaxer(one: Reach, other: Reach, exists: boolean): boolean {
  const rights = rightsOf(other, exists);
  return rightsOf(one, exists).some((right) => !rights.includes(right));
}

/** What the host does not have is empty, whatever stands in its place: there is nothing to read. */
function rightsOf(reach: Reach, exists: boolean): readonly string[] {
  if (reach === "write") return exists ? ["read", "write"] : ["write"];
  if (reach === "read") return exists ? ["read"] : [];
  return reach === "create" ? ["write"] : [];
}

/** A folder is written to by making something in it; all that is made is taken away again. */
const PROBE = `for f in "$@"; do
  if [ -d "$f" ]; then
    if ls "$f" >/dev/null 2>&1; then r=1; else r=0; fi
    if (: > "$f/probe") 2>/dev/null; then w=1; rm "$f/probe"; else w=0; fi
  elif [ -e "$f" ]; then
    if cat "$f" >/dev/null 2>&1; then r=1; else r=0; fi
    if (: >> "$f") 2>/dev/null; then w=1; else w=0; fi
  else
    top=$f
    while [ -n "\${top%/*}" ] && [ ! -e "\${top%/*}" ]; do top=\${top%/*}; done
    if mkdir -p "\${f%/*}" 2>/dev/null && (: > "$f") 2>/dev/null; then found=create; else found=none; fi
    rm -rf "$top" 2>/dev/null
    echo "$found $f"; continue
  fi
  case $r$w in 11) echo "write $f";; 10) echo "read $f";; 00) echo "deny $f";; *) echo "odd $f";; esac
done
echo "end"`;

export function probeOf(root: string): string[] {
  return ["/bin/sh", "-c", PROBE, "sh", ...PROBED.map((one) => path.join(root, one))];
}

/** What a probe printed, by the names of {@link PROBED}; nothing when it did not run to its end. */
export function reachesIn(stdout: string): ReadonlyMap<string, Reach> | undefined {
  const lines = stdout.trimEnd().split("\n");
  if (lines.pop() !== "end" || lines.length !== PROBED.length) return undefined;
  return new Map(PROBED.map((one, index) => [one, (lines[index] ?? "").split(" ")[0] as Reach]));
}
