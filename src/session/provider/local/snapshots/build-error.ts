import { Refusal } from "../../../refusal.ts";

/** A build came to nothing. What its commands printed is for whoever runs the machine, not for a model. */
export class BuildError extends Refusal {
  /** The sentence for who has run the very command that the message names. */
  readonly sentence: string;
  /** The last lines, as they were printed. */
  readonly printed: string;

  constructor(what: string, printed: string, options: ErrorOptions = {}) {
    const sentence = `Cannot build the snapshot: ${what}`;
    super("snapshotFailed", `${sentence}. To see more, run: writ snapshot build`, options);
    this.sentence = sentence;
    this.printed = printed;
  }
}
