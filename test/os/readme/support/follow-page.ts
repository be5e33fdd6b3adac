import type { PageReader } from "./page-reader.ts";
import type { ReadmeStep } from "./readme-steps.ts";

/** Does every step; tells all lines that were typed and shown. */
export async function followPage(reader: PageReader, steps: readonly ReadmeStep[]) {
  const seen: string[] = [];
  for (const step of steps) {
    if (step.kind === "save") reader.save(step.name, step.text);
    if (step.kind !== "type") continue;
    const { where, line } = step;
    const shown = where === "there" ? await reader.typeThere(line) : await reader.type(line);
    seen.push(`${where}$ ${line}`, ...shown.split("\n").filter((one) => one !== ""));
  }
  return seen;
}

/** The same lines, as the page has them. */
export function linesOf(steps: readonly ReadmeStep[]): string[] {
  return steps.flatMap((step) =>
    step.kind === "type" ? [`${step.where}$ ${step.line}`, ...step.shown] : [],
  );
}
