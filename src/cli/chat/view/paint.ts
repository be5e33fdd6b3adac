/** Colours of what writ itself says; none where nobody asked a terminal for them. */
export interface Paint {
  readonly faint: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly strong: (text: string) => string;
}

const plain = (text: string) => text;

export const NO_PAINT: Paint = { faint: plain, good: plain, bad: plain, strong: plain };

/** Whether a terminal takes colours, and whoever sits at it wants them. */
export function choosePaint(
  env: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean,
): Paint {
  if (!wantsColour(env, isTerminal)) return NO_PAINT;
  return { faint: sgr(2), good: sgr(32), bad: sgr(31), strong: sgr(1) };
}

/** Who says no means it; who says yes has something at the other end that shows them. */
function wantsColour(
  { NO_COLOR, FORCE_COLOR, TERM }: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean,
): boolean {
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return !["0", "false"].includes(FORCE_COLOR);
  return isTerminal && TERM !== "dumb";
}

/** Each line by itself, so that no line depends on one that scrolled away. */
function sgr(code: number): (text: string) => string {
  return (text) => text.replace(/[^\n]+/g, (line) => `\u001b[${code}m${line}\u001b[0m`);
}
