/**
 * Reads policy text back into a tree, as the Scheme behind Seatbelt would.
 *
 * A text knows `\"` and `\\`; in `#"…"` a backslash means itself and takes the next character with it.
 * Anything else throws, so that a quote that was broken out of cannot look like a policy.
 */
import type { Sbpl } from "../../../../src/sandbox/macos/sbpl.ts";

export function parseSbpl(source: string): Sbpl[] {
  const tokens = tokensOf(source);
  const nodes: Sbpl[] = [];
  let at = 0;
  const next = (): Sbpl => {
    const token = tokens[at];
    at += 1;
    if (token === undefined || token === ")") throw new Error(`unexpected ${token ?? "end"}`);
    if (token !== "(") return atomOf(token);
    const items: Sbpl[] = [];
    while (tokens[at] !== ")") items.push(next());
    at += 1;
    return withRegex({ kind: "list", items });
  };
  while (at < tokens.length) nodes.push(next());
  return nodes;
}

const TOKEN = /;[^\n]*|\s+|[()]|#"(?:\\.|[^"\\])*"|"(?:\\["\\]|[^"\\])*"|[A-Za-z0-9*_-]+/suy;

function tokensOf(source: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const from = TOKEN.lastIndex;
    const token = TOKEN.exec(source)?.[0];
    if (token === undefined) throw new Error(`no token at ${JSON.stringify(source.slice(from))}`);
    if (!/^[;\s]/.test(token)) tokens.push(token);
  }
  return tokens;
}

function atomOf(token: string): Sbpl {
  if (token.startsWith('#"')) return { kind: "regex", pattern: token.slice(2, -1) };
  if (!token.startsWith('"')) return { kind: "word", word: token };
  return { kind: "text", text: token.slice(1, -1).replace(/\\(["\\])/g, "$1") };
}

/** The filters that take an expression take it in either quotes. */
function withRegex(node: Sbpl & { kind: "list" }): Sbpl {
  const [head, ...rest] = node.items;
  if (head?.kind !== "word" || !/(^|-)regex$/.test(head.word)) return node;
  const items = rest.map(
    (item): Sbpl => (item.kind === "text" ? { kind: "regex", pattern: item.text } : item),
  );
  return { kind: "list", items: [head, ...items] };
}
