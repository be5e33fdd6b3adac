/**
 * A receipt for a person: one screen, the most important line first.
 *
 * Everything in it may come from strangers, so every value is shown as one line
 * without control characters. The whole receipt is its JSON.
 */
import type { Change, Denial } from "./denial.ts";
import type { Receipt, ReceiptOutcome } from "./receipt.ts";
import { visibleLine } from "./visible-line.ts";

const WIDTH = 120;
const SHOWN_DENIALS = 4;
const SHOWN_FILES = 3;

/** Says what ran, under what, how it ended and what it was probably denied. */
export function renderReceipt(receipt: Receipt): string {
  const rows: [string, string][] = [
    ["result", `${outcomeText(receipt.outcome)}${durationText(receipt)}`],
    ["command", commandText(receipt.command)],
    ["folder", receipt.cwd],
    ["sandbox", sandboxText(receipt)],
    ["limits", receipt.enforced?.limits.map(limitText).join(", ") ?? ""],
    ["launch", listText(receipt.enforced?.launchFiles ?? [])],
    ["policy", policyText(receipt)],
    ["asked", receipt.intent === null ? "" : JSON.stringify(receipt.intent)],
    ["notes", receipt.notes.join("; ")],
    ["receipt", `${receipt.id}, started ${receipt.startedAt}${idsText(receipt.ids)}`],
    ...(isLook(receipt) ? [] : behindRows(receipt)),
  ];
  const lines = rows.flatMap(([name, text]) =>
    text === "" ? [] : [`${name.padEnd(9)}${shown(text)}`],
  );
  return [
    ...lines,
    ...receipt.denials.listed.slice(0, SHOWN_DENIALS).flatMap(denialLines),
    "",
  ].join("\n");
}

/** No process ran for it, so nothing printed or left anything. */
function isLook({ enforced }: Receipt): boolean {
  return enforced?.tier === "judged";
}

function behindRows({ leftBehind, denials }: Receipt): [string, string][] {
  return [
    ["left", leftText(leftBehind)],
    ["denied", deniedText(denials)],
  ];
}

/** How a run ended, in a word or two. */
export function outcomeWord(outcome: Receipt["outcome"]): string {
  switch (outcome.kind) {
    case "exited":
      return `exit ${outcome.code}`;
    case "killed":
      return outcome.signal;
    case "notStarted":
      return "not started";
    default:
      return outcome.kind;
  }
}

/** A command as one would read it; not for pasting, and not yet for a terminal. */
export function commandText(command: readonly string[]): string {
  return command.map(shellWord).join(" ");
}

function outcomeText(outcome: ReceiptOutcome): string {
  switch (outcome.kind) {
    case "exited":
      return `exited with status ${outcome.code}`;
    case "killed":
      return `killed by ${outcome.signal}`;
    case "ended":
      return `ENDED by writ: ${outcome.reason}`;
    case "limit":
      return `ENDED by writ: it went beyond the limit "${outcome.limit}" of ${outcome.value}`;
    case "notStarted":
      return `DID NOT RUN: ${outcome.reason}`;
    case "refused":
      return `REFUSED, nothing ran: ${outcome.message} (${outcome.code})`;
    case "running":
      return "still runs";
    case "unknown":
      return `UNKNOWN: ${outcome.reason}`;
  }
}

function durationText({ durationMs }: Receipt): string {
  return durationMs === null ? "" : ` after ${(durationMs / 1000).toFixed(2)} s`;
}

function idsText(ids: Receipt["ids"]): string {
  return Object.entries(ids)
    .map(([name, id]) => `, ${name} ${id}`)
    .join("");
}

function policyText({ profileDigest, boundDigest }: Receipt): string {
  if (profileDigest === null) return "none that could be read";
  return `${profileDigest.slice(0, 16)}, here ${boundDigest?.slice(0, 16) ?? "not bound"}`;
}

function sandboxText({ enforced, waived }: Receipt): string {
  if (enforced === null) return "none was built";
  const { tier, backend, network, unixSockets } = enforced;
  const reach = `network ${network}, unix sockets ${unixSockets}`;
  if (waived !== null) return `NONE, waived by ${waived.by}: ${waived.reason}`;
  return `${tier} by ${backend}, ${reach}`;
}

function limitText({ limit, value, by }: { limit: string; value: number; by: string }): string {
  return `${limit} ${value} by ${by}`;
}

function leftText(left: Receipt["leftBehind"]): string {
  if (left.kind === "notLookedFor") return "not looked for files that run later";
  const rest = left.complete ? "" : "; there may be more, not everything was looked at";
  if (left.files.length === 0) return rest && `files that run later: none seen${rest}`;
  const files = listText(left.files.map(({ path, why }) => `${path} (${why})`));
  return `files that run later: ${files}${rest}`;
}

function deniedText({ looked, listed, unlisted }: Receipt["denials"]): string {
  if (!looked) return "not known, nobody looked at its output";
  if (listed.length + unlisted === 0) return "nothing that its output tells of";
  const hidden = listed.length - SHOWN_DENIALS;
  const more = [
    hidden > 0 ? `${hidden} not shown here` : "",
    unlisted > 0 ? `${unlisted} more lines not judged` : "",
  ];
  const counts = [
    `${listed.length}, inferred from output that the command may have forged`,
    ...more,
  ];
  return counts.filter((one) => one !== "").join("; ");
}

function denialLines(denial: Denial): string[] {
  return [
    `  ${shown(`${subjectOf(denial)}: ${denial.rule}: ${denial.reason}`)}`,
    `    ${shown(changeText(denial.change))}`,
  ];
}

function subjectOf(denial: Denial): string {
  switch (denial.kind) {
    case "file":
      return `${denial.wanted} ${denial.path}`;
    case "network":
      return `network ${denial.host ?? "(no host named)"}`;
    case "unixSocket":
      return `unix socket ${denial.path ?? "(no path named)"}`;
  }
}

function changeText(change: Change): string {
  if (change.kind === "none") return `nothing can be added: ${change.why}`;
  const where = `[permissions.NAME.${change.table}]`;
  const instead = change.kind === "replace" ? ` in place of ${change.replaces}` : "";
  return `would allow it: ${where} ${change.lines.join("; ")}${instead}`;
}

function listText(items: readonly string[]): string {
  const rest = items.length - SHOWN_FILES;
  const first = items
    .slice(0, SHOWN_FILES)
    .map((one) => shown(one))
    .join(", ");
  return rest > 0 ? `${first} and ${rest} more` : first;
}

/** What is not plain is put in quotes. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word);
}

function shown(text: string): string {
  return visibleLine(text, WIDTH);
}
