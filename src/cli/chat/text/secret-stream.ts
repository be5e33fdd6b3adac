/**
 * Takes secrets out of text that comes in pieces.
 *
 * A secret may be cut anywhere, so what could be the beginning of one is held back until more is
 * known: the last word, and longer for a secret that has spaces. A private key is many words; all
 * that could belong to one goes.
 */
import { REDACTED, redact } from "./secrets.ts";

/** The longest word that is held; of a longer one that is a secret the rest goes too. */
const MOST_HELD = 8192;
const KEY_BEGINS = /-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY-----$/;
const KEY_WORD = /^[A-Za-z0-9+/=]+$/;
const CONTEXT = 80;

export class SecretStream {
  readonly #secrets: readonly string[];
  readonly #spaced: readonly string[];
  #held = "";
  #context = "";
  #isInKey = false;
  /** A secret was longer than what is held; the rest of its word is still to come. */
  #isCut = false;

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
    this.#spaced = secrets.filter((secret) => /\s/.test(secret));
  }

  /** What can be shown now. */
  write(piece: string): string {
    const text = this.#held + this.#afterCut(piece);
    const from = this.#safeLength(text);
    if (text.length - from > MOST_HELD) return this.#overflow(text);
    this.#held = text.slice(from);
    return this.#shown(text.slice(0, from));
  }

  /** The rest, when nothing more comes. */
  end(): string {
    const rest = this.#held;
    this.#held = "";
    this.#isCut = false;
    return this.#shown(rest);
  }

  #overflow(text: string): string {
    this.#held = "";
    const shown = this.#shown(text);
    this.#isCut = shown.endsWith(REDACTED);
    return shown;
  }

  #afterCut(piece: string): string {
    if (!this.#isCut) return piece;
    const end = piece.search(/\s/);
    if (end < 0) return "";
    this.#isCut = false;
    return piece.slice(end);
  }

  /** How much of the text no secret can reach into that goes on after it. */
  #safeLength(text: string): number {
    const begun = this.#spaced.map((secret) => beginningOf(secret, text));
    return this.#spaced.reduce(beforeSecret(text), Math.min(lastWord(text), ...begun));
  }

  #shown(text: string): string {
    return redact(text, this.#secrets)
      .split(/(\s+)/)
      .map((part) => this.#withoutKey(part))
      .join("");
  }

  #withoutKey(part: string): string {
    if (part === "") return part;
    this.#context = (this.#context + part).slice(-CONTEXT);
    if (part.trim() === "") return part;
    if (KEY_BEGINS.test(this.#context)) this.#isInKey = true;
    else if (this.#isInKey && KEY_WORD.test(part)) return REDACTED;
    else this.#isInKey = false;
    return part;
  }
}

const SPACE = /\s/;

/** Where the last word begins. An expression would look for it from every place of a long one. */
function lastWord(text: string): number {
  let at = text.length;
  while (at > 0 && !SPACE.test(text.charAt(at - 1))) at -= 1;
  return at;
}

/** A place in the middle of a secret is moved to where that begins. */
function beforeSecret(text: string): (place: number, secret: string) => number {
  return (place, secret) => {
    const at = place === 0 ? -1 : text.lastIndexOf(secret, place - 1);
    return at >= 0 && at + secret.length > place ? at : place;
  };
}

/** Where the text ends with the beginning of the secret; its length where it does not. */
function beginningOf(secret: string, text: string): number {
  for (let at = Math.max(0, text.length - secret.length + 1); at < text.length; at += 1) {
    if (secret.startsWith(text.slice(at))) return at;
  }
  return text.length;
}
