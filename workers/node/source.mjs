/** The text of a cell, made into what the debugger can evaluate. */
import { stripTypeScriptTypes } from "node:module";
import { quietly } from "./quietly.mjs";
import { rewriteCell } from "./rewrite-cell.mjs";

/** The readings of a cell, most likely first: `{a: 1}` is a value before it is a block. */
export function candidatesOf(source) {
  const code = rewriteCell(source);
  return /^\s*\{/.test(code) && !/;\s*$/.test(code) ? [`(${code}\n)`, code] : [code];
}

/** What is left of a cell without its types; nothing when it has none or is no TypeScript either. */
export function stripTypes(tried, source) {
  for (const mode of ["strip", "transform"]) {
    const stripped = strip(source, mode);
    if (stripped !== undefined) {
      const code = rewriteCell(stripped);
      return code === tried ? [] : [code];
    }
  }
  return [];
}

function strip(source, mode) {
  try {
    return quietly(() => stripTypeScriptTypes(source, { mode }));
  } catch {
    return undefined;
  }
}
