/** Patterns as regular expressions: what the matcher under test is compared with. */

/** The expression for a pattern below a folder whose own name is meant literally. */
export function regexOfGlob(folder: string, pattern: string): RegExp {
  const names = pattern.split("/").filter((name) => name !== "");
  const body = names.map((name, index) =>
    name === "**" ? spanning(index === names.length - 1) : `/${regexOfName(name)}`,
  );
  const place = folder === "/" ? "" : [...folder].map(escaped).join("");
  return new RegExp(`^${place}${body.join("")}$`, "su");
}

/** `**` spans any number of names; at the end there must be one. */
function spanning(atEnd: boolean): string {
  return atEnd ? "(?:/[^/]+)+" : "(?:/[^/]+)*";
}

const MARKS: Readonly<Record<string, string>> = {
  "*": "[^/]*",
  "?": "[^/]",
  "{": "(?:",
  "}": ")",
};

function regexOfName(name: string): string {
  const tokens = name.match(/\\.|\[[!^]?[^\]]+\]|./gsu) ?? [];
  let depth = 0;
  return tokens
    .map((token) => {
      if (token === "{") depth += 1;
      if (token === "}") depth -= 1;
      if (token === "," && depth > 0) return "|";
      return MARKS[token] ?? regexOfText(token);
    })
    .join("");
}

function regexOfText(token: string): string {
  if (token.startsWith("\\")) return escaped(token.slice(1));
  return token.length > 2 && token.startsWith("[")
    ? regexOfClass(token.slice(1, -1))
    : escaped(token);
}

function regexOfClass(body: string): string {
  const negated = /^[!^]/.test(body);
  const inner = (negated ? body.slice(1) : body).replace(/[\\^\][]/g, "\\$&");
  return negated ? `(?!/)[^${inner}]` : `(?!/)[${inner}]`;
}

function escaped(char: string): string {
  if (/^[\w/]$/.test(char) || (char.codePointAt(0) ?? 0) > 127) return char;
  return `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`;
}
