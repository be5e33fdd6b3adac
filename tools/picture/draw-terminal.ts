import type { StyledRun } from "./styled-lines.ts";

export interface TerminalPicture {
  readonly title: string;
  readonly columns: number;
  readonly lines: readonly (readonly StyledRun[])[];
}

const CELL = { width: 7.8, height: 19 };
const MARGIN = { side: 20, top: 58, bottom: 14 };

/**
 * A terminal as SVG: its own dark background, so that it looks the same on a light page.
 *
 * Every run is stretched to the cells it has, so that columns stand in line in
 * whatever fixed-width font the reader's machine has.
 */
export function drawTerminal({ title, columns, lines }: TerminalPicture): string {
  const width = Math.round(columns * CELL.width + 2 * MARGIN.side);
  const height = MARGIN.top + lines.length * CELL.height + MARGIN.bottom;
  const rows = lines.map((runs, row) => drawRow(runs, MARGIN.top + row * CELL.height));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title desc">
<title id="title">${escaped(title)}</title>
<desc id="desc">${escaped(lines.map(textOf).join("\n"))}</desc>
<style>
text { font: 13px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d1d7e0; }
.strong { font-weight: 700; fill: #ffffff; }
.faint { fill: #8b949e; }
.bad { fill: #ff8f87; }
.good { fill: #7ee787; }
.title { text-anchor: middle; fill: #8b949e; }
</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="9" fill="#0d1117" stroke="#3d444d"/>
<path d="M1 36.5H${width - 1}" stroke="#21262d"/>
<circle cx="20" cy="18.5" r="5.5" fill="#ff5f57"/><circle cx="39" cy="18.5" r="5.5" fill="#febc2e"/><circle cx="58" cy="18.5" r="5.5" fill="#28c840"/>
<text class="title" x="${width / 2}" y="23">${escaped(title)}</text>
${rows.join("\n")}
${drawCursor(lines)}
</svg>
`;
}

function drawRow(runs: readonly StyledRun[], y: number): string {
  const starts = runs.map((_, index) => textOf(runs.slice(0, index)).length);
  const spans = runs.map(({ text, style }, index) => {
    const look = style === "plain" ? "" : ` class="${style}"`;
    const length = (text.length * CELL.width).toFixed(1);
    const x = columnX(starts[index] ?? 0);
    return `<tspan${look} x="${x}" textLength="${length}">${unbroken(text)}</tspan>`;
  });
  return `<text y="${y}">${spans.join("")}</text>`;
}

/** Where the next line would be typed. */
function drawCursor(lines: TerminalPicture["lines"]): string {
  const last = lines.at(-1) ?? [];
  const y = MARGIN.top + (lines.length - 1) * CELL.height - 12;
  const x = columnX(textOf(last).trimEnd().length + 1);
  return `<rect x="${x}" y="${y}" width="${CELL.width}" height="16" fill="#d1d7e0"/>`;
}

function columnX(column: number): string {
  return (MARGIN.side + column * CELL.width).toFixed(1);
}

function textOf(runs: readonly StyledRun[]): string {
  return runs.map(({ text }) => text).join("");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Spaces that no reader of SVG takes for one. */
function unbroken(text: string): string {
  return escaped(text).replaceAll(" ", "\u00a0");
}
