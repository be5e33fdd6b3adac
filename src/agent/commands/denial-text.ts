import type { ProcessExit, RunningProcess } from "../../exec/index.ts";
import { visibleLine } from "../approvals/visible-text.ts";
import { whatWouldOpen } from "../what-would-open.ts";

type Receipt = NonNullable<Awaited<RunningProcess["receipt"]>>;
type Denial = Receipt["denials"]["listed"][number];

const SHOWN = 4;
/** Of a line. The receipt of another machine may hold anything, and what is told is told with every request from then on. */
const MOST_CHARS = 8 << 10;
const UNSAID = "Probably denied by the sandbox; its output does not say what";

/** What a command was probably denied and by which rule, in a second line what would open it; or why it was ended; null where nothing tells of that. */
export function denialText(exit: ProcessExit, receipt: Receipt | undefined): string | null {
  if (receipt?.outcome.kind === "limit") {
    const { limit, value } = receipt.outcome;
    return `Ended: it went beyond the limit "${limit}" of ${value}`;
  }
  const listed = receipt?.denials.listed ?? [];
  if (listed.length === 0) return isDeniedElsewhere(exit, receipt) ? UNSAID : null;
  const shown = listed.slice(0, SHOWN);
  const more = listed.length > SHOWN ? `; and ${listed.length - SHOWN} more` : "";
  const opening = whatWouldOpen(shown.map(({ change }) => change));
  const denied = `Probably denied: ${shown.map(oneDenial).join("; ")}${more}`;
  return [denied, opening].map((line) => shortened(visibleLine(line))).join("\n");
}

function shortened(text: string): string {
  return text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS).toWellFormed()}…`;
}

/**
 * The word of an executor that keeps no receipt, or did not look for one. It goes by words in the
 * output alone, which plain failures have too, so a receipt that asked the policy counts instead.
 */
function isDeniedElsewhere({ sandboxDenied }: ProcessExit, receipt: Receipt | undefined): boolean {
  return sandboxDenied && receipt?.denials.looked !== true;
}

function oneDenial(denial: Denial): string {
  return `${whatOf(denial)} (rule: ${denial.rule})`;
}

function whatOf(denial: Denial): string {
  switch (denial.kind) {
    case "file":
      return `to ${denial.wanted} ${JSON.stringify(denial.path)}`;
    case "network":
      return denial.host === null ? "the network" : `the network to ${JSON.stringify(denial.host)}`;
    case "unixSocket":
      return denial.path === null
        ? "a unix socket"
        : `the unix socket ${JSON.stringify(denial.path)}`;
  }
}
