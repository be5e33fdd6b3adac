import type { ProvidedSandbox } from "../provider/provided-sandbox.ts";
import { Refusal } from "../refusal.ts";
import { onShelf } from "./on-shelf.ts";

/** A path of a tool, as its sandbox names it: what lies on the shelf is found there. Throws where there is no such place. */
export function placeOf(path: string, { shelf }: ProvidedSandbox): string {
  const shelved = onShelf(path);
  if (shelved === undefined) return path;
  refuseOutside(path, shelved);
  if (shelf !== null) return shelved === "." ? shelf.path : `${shelf.path}/${shelved}`;
  throw new Refusal("unsupported", `Cannot use "${path}": this sandbox has no shelf, expected one`);
}

/** A path that leads out of the shelf by its words. */
export function refuseOutside(path: string, shelved: string): void {
  if (shelved !== ".." && !shelved.startsWith("../")) return;
  throw new Refusal(
    "invalidInput",
    `Cannot use "${path}": it leads out of the shelf, expected a path in it`,
  );
}
