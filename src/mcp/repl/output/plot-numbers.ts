/** Which picture an image is a state of. */
import type { ImageEvent } from "./output-event.ts";

export interface PlotNumber {
  readonly plot: number;
  /** It updates a picture that no image of this request began. */
  readonly isForeign: boolean;
}

export class PlotNumbers {
  #plots = 0;
  readonly #known = new Map<string, number>();

  number({ isUpdate, source = "" }: Pick<ImageEvent, "isUpdate" | "source">): PlotNumber {
    const known = isUpdate ? this.#known.get(source) : undefined;
    if (known !== undefined) return { plot: known, isForeign: false };
    this.#plots += 1;
    this.#known.set(source, this.#plots);
    return { plot: this.#plots, isForeign: isUpdate };
  }

  /** A new request: an update of what came before it is a picture of its own. */
  begin(): void {
    this.#known.clear();
  }
}
