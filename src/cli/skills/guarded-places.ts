import { type AbsolutePath, parseAbsolutePath } from "../../policy/index.ts";

/**
 * Places that no command writes. The list is one object that grows: whoever plans a command reads it
 * then, so what the settings name later is closed from the next command on. Nothing is taken out:
 * what was believed once may be believed again.
 */
export class GuardedPlaces {
  readonly paths: AbsolutePath[];

  constructor(paths: readonly AbsolutePath[]) {
    this.paths = [...paths];
  }

  add(places: readonly string[]): void {
    const known = new Set<string>(this.paths);
    this.paths.push(...places.filter((one) => !known.has(one)).map(parseAbsolutePath));
  }
}
