/** The text of a cell, made into what the debugger can evaluate. */
import { stripTypeScriptTypes } from "node:module";
import { quietly } from "./quietly.mjs";
import { rewriteCell } from "./rewrite-cell.mjs";

/** What no reading of a cell as it was written can be. */
const STATEMENT = /^\s*import\b(?!\s*\()/m;

/** The readings of a cell, most likely first: `{a: 1}` is a value before it is a block. */
export function candidatesOf(source) {
  const code = rewriteCell(source);
  const readings = /^\s*\{/.test(code) && !/;\s*$/.test(code) ? [`(${code}\n)`, code] : [code];
  // A method may be named `import`: then the cell is JavaScript only as it was written.
  return code === source || STATEMENT.test(source) ? readings : [...readings, source];
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
