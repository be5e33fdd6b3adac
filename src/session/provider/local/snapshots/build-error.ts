import { Refusal } from "../../../refusal.ts";

/** A build came to nothing. What its commands printed is for whoever runs the machine, not for a model. */
export class BuildError extends Refusal {
  /** The last lines, as they were printed. */
  readonly printed: string;

  constructor(what: string, printed: string, options: ErrorOptions = {}) {
    const text = `Cannot build the snapshot: ${what}. To see more, run: writ snapshot build`;
    super("snapshotFailed", text, options);
    this.printed = printed;
  }
}
