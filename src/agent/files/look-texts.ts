/** What the tools that look tell the model of what they found. Pure. */

export interface ReadLines {
  readonly content: string;
  readonly offset: number;
  readonly totalLines: number;
  readonly isCut: boolean;
  /** How long the line is of which only the beginning is in the content. */
  readonly lineLength?: number;
}

export interface ListedFolder {
  readonly entries: readonly { readonly name: string; readonly kind: string }[];
  readonly total: number;
  readonly isCut: boolean;
}

export interface FoundLines {
  readonly lines: readonly {
    readonly path: string;
    readonly line: number;
    readonly kind: "match" | "context";
    readonly text: string;
    readonly isCut: boolean;
  }[];
  readonly isCut: boolean;
  readonly reasons: readonly string[];
  /** The first files and folders that could not be read, and how many there are. */
  readonly unread: { readonly paths: readonly string[]; readonly total: number };
}

export const lookTexts = { tellLines, tellFolder, tellFound };

function tellLines({ content, offset, totalLines, isCut, lineLength }: ReadLines): string {
  if (!isCut) return content;
  if (offset > totalLines) return `[there is no line ${offset}, the last one is ${totalLines}]`;
  if (lineLength !== undefined) {
    const end = `after ${content.length} of ${lineLength} characters`;
    return `[line ${offset} of ${totalLines} is cut ${end}]\n${content}`;
  }
  const last = offset - 1 + (content.match(/[^\n]*\n|[^\n]+$/g) ?? []).length;
  return `[lines ${offset} to ${last} of ${totalLines}]\n${content}`;
}

const SIGNS: Readonly<Record<string, string>> = { folder: "/", link: "@", other: "?" };

function tellFolder({ entries, total, isCut }: ListedFolder): string {
  if (total === 0) return "The folder is empty.";
  const names = entries.map(({ name, kind }) => `${visibleName(name)}${SIGNS[kind] ?? ""}`);
  const rest = isCut ? [`[${total - entries.length} of ${total} left out]`] : [];
  return [...names, ...rest].join("\n");
}

function tellFound({ lines, isCut, reasons, unread }: FoundLines): string {
  const found = lines.map(({ path, line, kind, text, isCut: isLong }) => {
    const sign = kind === "match" ? ":" : "-";
    return `${visibleName(path)}${sign}${line}${sign}${text}${isLong ? "…" : ""}`;
  });
  const none = found.length === 0 && !isCut ? ["Nothing was found."] : [];
  const cut = isCut ? [`[cut: ${reasons.join(", ")}]`] : [];
  return [...found, ...none, ...cut, ...unreadNote(unread)].join("\n");
}

/** What was not looked at may hold what was looked for. */
function unreadNote({ paths, total }: FoundLines["unread"]): string[] {
  if (total === 0) return [];
  const more = total > paths.length ? ` and ${total - paths.length} more` : "";
  return [`[not read: ${paths.map(visibleName).join(", ")}${more}]`];
}

/** A name on a line of its own must not look like two. */
function visibleName(name: string): string {
  return /[\n\r]/.test(name) ? JSON.stringify(name) : name;
}
