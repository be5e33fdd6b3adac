/** What a pager says in its own words. */

export const PAGER_HELP = `[pager] commands:
  (empty input)                 next page
  :next [n]                     the next n pages
  :skip n                       pass over n pages
  :a                            everything that is left
  :tail [n | 8k | 20l]          the end, in characters or lines; leaves the pager
  :range a b                    the characters from a to b, also if shown before
  :seek n | 8k | 40% | line n   go there
  :/text, :/i text              find text as it is written; i: in any case
  :n [k], :p [k]                next match, previous match
  :goto n                       match number n
  :where [-i] text              how many matches and the next, without going there
  :matches [-i] [-n N|all] [-C N] [text]   list matches
  :hits [-i] [-C N] [--count N] text       the first matches with lines around them
  :q                            leave the pager
Any other input leaves the pager and is run.
`;

/**
 * The line under a page: how much is left, and where in the whole it stands, in characters. Pictures have none, so
 * those that are left are named.
 */
export function pagerFooter(
  { from, to }: { readonly from: number; readonly to: number },
  total: number,
  left: { readonly pages: number; readonly images: number },
): string {
  const place = `${percent(to, total)}%, @${from}..${to}/${total})`;
  if (left.pages === 0) return `(END, ${place}`;
  const images = left.images === 1 ? "1 image, " : `${left.images} images, `;
  return `--More-- (${left.pages}p, ${left.images === 0 ? "" : images}${place}`;
}

/** With one decimal; a tie goes to the even digit. */
function percent(part: number, whole: number): string {
  if (whole === 0) return "100.0";
  const tenths = (part * 1000) / whole;
  const below = Math.floor(tenths);
  const rounded = tenths - below === 0.5 ? below + (below % 2) : Math.round(tenths);
  return (rounded / 10).toFixed(1);
}
