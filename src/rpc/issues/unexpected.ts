/** How numbers are named: by value (``integer `5` ``) or by kind alone (`number`). */
export interface IssueWording {
  readonly numbers: "value" | "kind";
}

const LONGEST_QUOTE = 120;

/** Names a value that is not what was expected, as serde does. Long strings are cut. */
export function unexpected(value: unknown, wording: IssueWording): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "sequence";
  switch (typeof value) {
    case "boolean":
      return `boolean \`${value}\``;
    case "string":
      return `string ${JSON.stringify(clip(value))}`;
    case "number":
      return wording.numbers === "kind" ? "number" : numberText(value);
    default:
      return "map";
  }
}

/** ``one of `a`, `b`, `c` ``, with serde's shorter forms for one and two names. */
export function oneOf(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  if (quoted.length <= 2) return quoted.join(" or ");
  return `one of ${quoted.join(", ")}`;
}

/** Cuts a stranger's text to what a message may repeat. */
export function clip(text: string): string {
  return text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text;
}

function numberText(value: number): string {
  return Number.isInteger(value) ? `integer \`${value}\`` : `floating point \`${value}\``;
}
