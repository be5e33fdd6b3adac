/** The parts of a Markdown page that can be wrong about the repository: links, headings, code. */

export interface CodeBlock {
  readonly language: string;
  /** What stands behind the language: the name of a file. */
  readonly name: string;
  readonly text: string;
}

const FENCE = /^( *)(```+|~~~+) *([\w-]*)([^\n]*)\n([\s\S]*?)^ *\2`*~* *$/gm;

export function codeBlocks(text: string): CodeBlock[] {
  return [...text.matchAll(FENCE)].map(([, , , language = "", name = "", code = ""]) => ({
    language,
    name: name.trim(),
    text: code,
  }));
}

export function inlineCode(text: string): string[] {
  return [...prose(text).matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map(([, code = ""]) => code);
}

/** Link targets as written: inline links, images, reference definitions and `href`/`src`. */
export function linksOf(text: string): string[] {
  const visible = prose(text).replaceAll(/`[^`\n]*`/g, "");
  const patterns = [
    /\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g,
    /^ {0,3}\[[^\]]+\]:\s+<?([^\s>]+)/gm,
    /\b(?:href|src)="([^"]+)"/g,
  ];
  return patterns.flatMap((pattern) =>
    [...visible.matchAll(pattern)].map(([, target = ""]) => target),
  );
}

/** The anchors a page offers, made the way GitHub makes them from headings. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set([...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id = ""]) => id));
  for (const [, heading = ""] of prose(text).matchAll(/^ {0,3}#{1,6} +(.+?) *#*$/gm)) {
    const slug = slugOf(heading);
    let anchor = slug;
    for (let copy = 1; anchors.has(anchor); copy += 1) anchor = `${slug}-${copy}`;
    anchors.add(anchor);
  }
  return anchors;
}

function slugOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");
}

function prose(text: string): string {
  return text.replaceAll(FENCE, "");
}
