import { PolicyError } from "../policy-error.ts";

const MAX_ALTERNATIVES = 256;

/** Turns `a{b,c}` into `ab` and `ac`. Throws on an unclosed or single-branch group and on too many. */
export function expandBraces(pattern: string): string[] {
  const done = new Set<string>();
  for (let open = [pattern]; open.length > 0; ) {
    const next = open.flatMap((text) => {
      const branches = expandFirst(text, pattern);
      if (branches.length === 0) done.add(text);
      return branches;
    });
    if (done.size + next.length > MAX_ALTERNATIVES) {
      throw braceError(pattern, `its braces make more than ${MAX_ALTERNATIVES} alternatives`);
    }
    open = next;
  }
  return [...done];
}

/** The texts that the first group stands for; none when there is no group. */
function expandFirst(text: string, pattern: string): string[] {
  const marks = groupMarks(text, pattern);
  const [start, end] = [marks[0], marks.at(-1)];
  if (start === undefined || end === undefined) return [];
  if (marks.length < 3) {
    throw braceError(pattern, 'a "{…}" has one branch, expected at least two or "\\{"');
  }
  return marks
    .slice(1)
    .map((mark, index) => text.slice((marks[index] ?? 0) + 1, mark))
    .map((branch) => text.slice(0, start) + branch + text.slice(end + 1));
}

/** Where the first group opens, its commas, and where it closes. */
function groupMarks(text: string, pattern: string): number[] {
  const marks = scan(text);
  if (marks.some(({ depth }) => depth < 1)) throw braceError(pattern, 'a "}" has no "{"');
  if (marks.length === 0) return [];
  const end = marks.findIndex(({ mark, depth }) => mark === "}" && depth === 1);
  if (end === -1) throw braceError(pattern, 'a "{" is not closed');
  return marks.slice(0, end + 1).flatMap(({ at, depth }) => (depth === 1 ? [at] : []));
}

/** Every brace, and every comma within braces, with the depth it stands at. */
function scan(text: string): { mark: string; at: number; depth: number }[] {
  let depth = 0;
  return [...text.matchAll(/\\.|[{},]/gsu)].flatMap(({ 0: mark, index: at }) => {
    if (mark === "{") depth += 1;
    const found = { mark, at, depth };
    if (mark === "}") depth -= 1;
    const means = mark.length === 1 && (mark !== "," || depth > 0);
    return means ? [found] : [];
  });
}

function braceError(pattern: string, what: string): PolicyError {
  return new PolicyError("invalidPath", `Cannot use pattern ${JSON.stringify(pattern)}: ${what}`);
}
