/** Questions to a person, and what an answer means. Only a letter that says yes is a yes. */
import { visibleLine } from "../../../sandbox/index.ts";
import type { ChatQuestion, Decision } from "../client/chat-event.ts";
import { askedText, hidesSecret } from "../text/asked-text.ts";
import { REDACTED, withoutValues } from "../text/secrets.ts";
import { MARKS } from "../text/shown-text.ts";
import { changeText } from "./change-text.ts";
import { commandLine } from "./command-line.ts";

/** What can be answered. */
export const ANSWERS = "[y] yes  [a] yes, also later in this session  [n] no (default)  [c] stop";

/**
 * All that a person has to know to answer; what would run stands under its own mark, and nothing of
 * it is left out without a word.
 */
export function questionText(
  question: ChatQuestion,
  secrets: readonly string[],
  changes?: Parameters<typeof changeText>[0],
): string {
  const { reason } = question.params;
  const { text, left } = contentOf(question, changes);
  const more = left === 0 ? [] : [`${left} more characters of it are not shown.`];
  const why = reason === null ? [] : [`reason: ${reason}`];
  const subject = subjectOf(question);
  const isHidden = hidesSecret([subject, text, ...why], secrets);
  const hidden = isHidden ? [`A secret of yours is in it, shown as ${REDACTED}.`] : [];
  const asked = (lines: readonly string[]) =>
    lines.map((line) => `${MARKS.question}${visibleLine(withoutValues(line, secrets))}\n`).join("");
  return [
    asked([subject]),
    askedText(text, MARKS.command, secrets),
    asked([...more, ...hidden, ...why, ANSWERS]),
  ].join("");
}

/** The meaning of a letter; nothing for any other answer. */
export function readAnswer(text: string): Decision | undefined {
  switch (text.trim().toLowerCase()) {
    case "y":
    case "yes":
      return "accept";
    case "a":
      return "acceptForSession";
    case "":
    case "n":
    case "no":
      return "decline";
    case "c":
      return "cancel";
    default:
      return undefined;
  }
}

function subjectOf({ kind, params }: ChatQuestion): string {
  switch (kind) {
    case "commandApproval": {
      const what = params.kind === "command" ? "run" : "be typed into this command";
      return `May this ${what}${params.cwd === null ? "" : ` in ${params.cwd}`}?`;
    }
    case "fileChangeApproval": {
      const { grantRoot } = params;
      return `May files be changed${grantRoot === null ? "" : ` below ${grantRoot}`}?`;
    }
    case "permissionsApproval":
      return "May this be allowed beyond the policy, until the turn ends?";
  }
}

function contentOf(
  { kind, params }: ChatQuestion,
  changes: Parameters<typeof questionText>[2],
): ReturnType<typeof changeText> {
  const whole = (text: string) => ({ text, left: 0 });
  switch (kind) {
    case "commandApproval":
      return whole(commandLine(params.command ?? "(it is not said what)"));
    case "fileChangeApproval":
      return changes === undefined ? whole("(it is not said which)") : changeText(changes);
    case "permissionsApproval":
      // Files stand in it in two ways.
      return whole([...new Set(permissionLines(params.permissions))].join("\n"));
  }
}

type Permissions = Extract<ChatQuestion, { kind: "permissionsApproval" }>["params"]["permissions"];

function permissionLines({ network, fileSystem }: Permissions): string[] {
  const { read, write, entries } = fileSystem ?? { read: [], write: [], entries: [] };
  return [
    ...(network?.enabled ? ["the network"] : []),
    ...(read ?? []).map((path) => `read ${JSON.stringify(path)}`),
    ...(write ?? []).map((path) => `write ${JSON.stringify(path)}`),
    ...entries.map(({ path, access }) => `${access} ${JSON.stringify(targetOf(path))}`),
  ];
}

function targetOf(path: NonNullable<Permissions["fileSystem"]>["entries"][number]["path"]): string {
  switch (path.type) {
    case "path":
      return path.path;
    case "glob_pattern":
      return path.pattern;
    case "special":
      return JSON.stringify(path.value);
  }
}
