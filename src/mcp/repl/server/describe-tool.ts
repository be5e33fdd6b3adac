/** What a model reads about the tool before it uses it. */

export interface ToolStyle {
  /** Where output goes that is too long for a reply. */
  readonly oversized: "files" | "pager";
}

const ABOUT: Readonly<Record<string, string>> = {
  python:
    "python: the input is one cell; the value of a last expression is shown; figures of matplotlib come as images",
  node: "node: JavaScript or TypeScript, top-level await, import and require; the value of a last expression is shown",
  bash: "bash: a shell that keeps its folder, variables and functions; a status other than 0 is shown",
  r: "r: an R console; plots come as images, help pages as text",
};

const OVERSIZED = {
  files: "Output that is too long is cut in the middle; the reply names a file with all of it.",
  pager:
    "Output that is too long comes in pages: empty input is the next one, `:help` lists commands such as `:/PATTERN`, `:tail` and `:q`; any other input leaves the pager.",
} as const;

/** The description of the tool for the languages it has. */
export function describeTool(languages: readonly string[], { oversized }: ToolStyle): string {
  const choice =
    languages.length > 1
      ? ` Say which with \`language\` (${languages[0]} when left out); each has a session of its own.`
      : "";
  return [
    `Run code in an interpreter that keeps its state from call to call, inside the sandbox of this conversation.${choice}`,
    ...languages.map((language) => `- ${ABOUT[language] ?? language}`),
    "No call is needed to start it. `timeout_ms` (60000 when left out) is how long a reply may take; what still runs then goes on.",
    "Empty `input` asks for what was printed since. While something runs, other input is discarded.",
    "`\\u0003` as the first character interrupts what runs, `\\u0004` starts a new session; text after it is run then.",
    "A program that asks for input gets the next `input`.",
    OVERSIZED[oversized],
  ].join("\n");
}
