/** Which picture an image is a state of. */
import type { ImageEvent } from "./output-event.ts";

export interface PlotNumber {
  readonly plot: number;
  /** It updates a picture that no image of this request began. */
  readonly isForeign: boolean;
}

/** So many pictures of one request can be updated, the newest of them. */
const MOST_KNOWN = 1000;

export class PlotNumbers {
  #plots = 0;
  readonly #known = new Map<string, number>();

  number({ isUpdate, source = "" }: Pick<ImageEvent, "isUpdate" | "source">): PlotNumber {
    const known = isUpdate ? this.#known.get(source) : undefined;
    if (known !== undefined) return { plot: known, isForeign: false };
    this.#plots += 1;
    this.#known.set(source, this.#plots);
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size > MOST_KNOWN) this.#known.delete(oldest);
    return { plot: this.#plots, isForeign: isUpdate };
  }

  /** A new request: an update of what came before it is a picture of its own. */
  begin(): void {
    this.#known.clear();
  }
}
