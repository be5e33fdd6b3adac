/**
 * A folder of writ's own that the commands of one anchor find beside what is theirs.
 *
 * Where it lies is hidden from every other command. It may be read and run, and
 * written only while it is made, whatever a policy grants around it.
 */
import fs from "node:fs";
import path from "node:path";
import { type AbsolutePath, type BoundEntry, isWithin } from "../../policy/index.ts";
import { ExecError } from "../exec-error.ts";

export interface AnchorLayer {
  readonly path: AbsolutePath;
  /** `write` for whoever makes it. */
  readonly access: "read" | "write";
}

/** The rule that opens it. What a policy or a ceiling hides by name is not opened behind its back. */
export function openLayer(layer: AnchorLayer, entries: readonly BoundEntry[]): BoundEntry {
  const hidden = entries.find((one) => one.access === "deny" && isWithin(layer.path, one.path));
  if (hidden === undefined) return { ...layer, protects: [], rule: "the layer of the anchor" };
  throw new ExecError(
    "notAllowed",
    `Cannot open the layer "${layer.path}": ${hidden.rule} denies "${hidden.path}", expected a policy that leaves the layer to writ`,
    { field: "sandbox.permissions" },
  );
}

/** Read by the login shells of `sh`, bash and zsh, after files of the system that set another PATH. */
const PROFILES = [".profile", ".zprofile"];
const PROFILE = `case ":$PATH:" in
  *":$WRIT_SNAPSHOT/bin:"*) ;;
  *) export PATH="$WRIT_SNAPSHOT/bin:$PATH" ;;
esac
`;

/** Lays out in a new home what login shells need to find the programs of a layer. */
export function writeLayerProfile(home: AbsolutePath): void {
  for (const name of PROFILES) fs.writeFileSync(path.join(home, name), PROFILE, { flag: "wx" });
}

/** Where a program looks that is told nothing. */
const SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin";

/** What commands are told of it: its programs come first, and its place has a name. */
export function layerVariables(
  { path: layer }: AnchorLayer,
  searchPath: string | undefined,
): Readonly<Record<string, string>> {
  const bin = path.join(layer, "bin");
  return { PATH: `${bin}:${searchPath || SEARCH_PATH}`, WRIT_SNAPSHOT: layer };
}
