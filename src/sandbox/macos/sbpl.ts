/**
 * A Seatbelt policy as a tree.
 *
 * Rules are built here and turned into text by `print-sbpl.ts` alone, which
 * owns quoting. A path is never a part of a text: it is a parameter, or a
 * regular expression with a kind of its own.
 */
export type Sbpl =
  /** An operation, a filter or a constant of the language. */
  | { readonly kind: "word"; readonly word: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "regex"; readonly pattern: string }
  | { readonly kind: "list"; readonly items: readonly Sbpl[] };

/** A list; a plain string in it is a word. */
export function form(...items: readonly (Sbpl | string)[]): Sbpl {
  return { kind: "list", items: items.map(asNode) };
}

/** A filter or constant with texts as its arguments, for instance `(global-name "x")`. */
export function named(word: string, ...texts: readonly string[]): Sbpl {
  return form(word, ...texts.map((text): Sbpl => ({ kind: "text", text })));
}

/** A filter by regular expression. */
export function matching(pattern: string): Sbpl {
  return form("regex", { kind: "regex", pattern });
}

/** A rule; without filters it holds for everything. */
export function rule(
  verdict: "allow" | "deny",
  operations: readonly string[],
  filters: readonly Sbpl[] = [],
): Sbpl {
  return form(verdict, ...operations, ...filters);
}

function asNode(item: Sbpl | string): Sbpl {
  return typeof item === "string" ? { kind: "word", word: item } : item;
}
