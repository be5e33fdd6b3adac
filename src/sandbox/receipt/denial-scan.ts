/**
 * Looks through the output of a command for what it was denied.
 *
 * Output is hostile: memory and the number of questions to the policy have caps,
 * the cost of a byte is bounded, nothing throws. What goes beyond a cap is
 * counted. A line never decides anything; `judgeMention` asks the policy.
 */
import { hash } from "node:crypto";
import type { Denial, Denials } from "./denial.ts";
import { type FileMention, fileMention } from "./file-mention.ts";
import { type JudgeBounds, type Judged, judgeMention } from "./judge-mention.ts";
import { type NetworkMention, networkMention } from "./network-mention.ts";
import { OutputLines } from "./output-lines.ts";
import { visibleLine } from "./visible-line.ts";

export interface DenialScan {
  /** Takes the next bytes of one of the two streams. */
  feed(chunk: Uint8Array, stream: Denial["stream"]): void;
  /** Ends the scan. Each denial is there once, in the order of the output. */
  finish(): Denials;
}

/** More would not be read by anybody. */
export const MAX_DENIALS = 50;
/** How many different mentions are put to the policy; others are counted. */
const MAX_JUDGED = 512;
const LINE_SHOWN = 160;

/** Starts a scan of one run under one policy. */
export function createDenialScan(bounds: JudgeBounds): DenialScan {
  const found = new Findings(bounds);
  const lines = { stdout: linesOf("stdout", found), stderr: linesOf("stderr", found) };
  return {
    feed: (chunk, stream) => lines[stream].feed(chunk),
    finish() {
      lines.stdout.finish();
      lines.stderr.finish();
      return found.denials();
    },
  };
}

function linesOf(stream: Denial["stream"], found: Findings): OutputLines {
  const reader = new LineReader();
  return new OutputLines((line) => {
    const mention = reader.read(line);
    if (mention !== undefined) found.add(mention, line, stream);
  });
}

/** A cheap look first: most lines of a build are none of these. */
const MARK =
  /read-only file ?system|permission denied|not permitted|no such (?:file|host)|resource busy|\bEPERM\b|unreach|resol|EAI_AGAIN|not known|failed to/i;
const COLOUR = new RegExp(`${String.fromCharCode(0x1b)}\\[[0-9;]{0,20}[A-Za-z]`, "g");
const BARE_ERROR =
  /^\s{0,20}((?:read-only file|permission denied|operation not)[a-z ]{0,20}?)(?: \(os error \d+\))?$/i;
/** How far Cargo's "Caused by:" is from what it explains. */
const NEAR = 3;

class LineReader {
  #failing = "";
  #age = 0;

  read(raw: string): FileMention | NetworkMention | undefined {
    this.#age += 1;
    if (!MARK.test(raw)) return undefined;
    const line = raw.replace(COLOUR, "").trimEnd();
    const bare = BARE_ERROR.exec(line)?.[1];
    if (bare !== undefined && this.#age <= NEAR) return fileMention(`${this.#failing}: ${bare}`);
    if (/^\s{0,20}(?:error: )?failed to /.test(line)) {
      this.#failing = line.trim();
      this.#age = 0;
    }
    return networkMention(line) ?? fileMention(line);
  }
}

class Findings {
  readonly #bounds: JudgeBounds;
  readonly #seen = new Set<string>();
  readonly #listed = new Map<string, Denial>();
  #unlisted = 0;

  constructor(bounds: JudgeBounds) {
    this.#bounds = bounds;
  }

  add(mention: FileMention | NetworkMention, line: string, stream: Denial["stream"]): void {
    // A digest, because what is remembered must be small whatever was said.
    const said = hash("sha256", JSON.stringify(mention));
    if (this.#seen.has(said)) return;
    if (this.#seen.size >= MAX_JUDGED || this.#listed.size >= MAX_DENIALS) {
      this.#unlisted += 1;
      return;
    }
    this.#seen.add(said);
    for (const judged of judgeMention(mention, this.#bounds)) this.#list(judged, line, stream);
  }

  #list(judged: Judged, line: string, stream: Denial["stream"]): void {
    const key = JSON.stringify([
      judged.kind,
      judged.kind === "network" ? judged.host : judged.path,
    ]);
    const known = this.#listed.get(key);
    // Who wants to write a path also reads it: one line that allows both is enough.
    const more = known?.kind === "file" && judged.kind === "file" && judged.wanted === "write";
    if (known !== undefined && !more) return;
    const shown = visibleLine(line, LINE_SHOWN);
    this.#listed.set(key, { ...judged, evidence: "inferred", stream, line: shown });
  }

  denials(): Denials {
    const listed = [...this.#listed.values()].slice(0, MAX_DENIALS);
    return { looked: true, listed, unlisted: this.#unlisted };
  }
}
