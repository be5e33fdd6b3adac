/** What a terminal shows, as runs of text that look alike. */
export interface StyledRun {
  readonly text: string;
  readonly style: RunStyle;
}

export type RunStyle = "plain" | "strong" | "faint" | "bad" | "good";

/** What codes say of weight and of colour. Any other is a look that a picture would lose. */
const LOOKS: Readonly<Record<string, Look>> = {
  "": { weight: "plain", colour: "plain" },
  "0": { weight: "plain", colour: "plain" },
  "1": { weight: "strong" },
  "2": { weight: "faint" },
  "31": { colour: "bad" },
  "32": { colour: "good" },
  "39": { colour: "plain" },
  "49": {},
};

interface Look {
  readonly weight?: "plain" | "strong" | "faint";
  readonly colour?: "plain" | "bad" | "good";
}

/** Reads what `tmux capture-pane -e` prints; a look lasts until the next, over ends of lines too. */
export function styledLines(captured: string): StyledRun[][] {
  let look: Look = {};
  return captured
    .trimEnd()
    .split("\n")
    .map((line) => {
      const [first = "", ...rest] = line.split("\u001b[");
      const runs = [{ text: first, style: styleOf(look) }];
      for (const piece of rest) {
        const { codes, text } = cut(piece);
        look = Object.assign({}, look, ...codes.map(lookOf));
        runs.push({ text, style: styleOf(look) });
      }
      return runs.filter((run) => run.text !== "");
    });
}

function cut(piece: string): { codes: string[]; text: string } {
  const [whole, codes = ""] = /^([\d;]*)m/.exec(piece) ?? [];
  if (whole === undefined) {
    throw new Error(`Cannot draw "ESC[${piece}": a control sequence, expected a style`);
  }
  return { codes: codes.split(";"), text: piece.slice(whole.length) };
}

function lookOf(code: string): Look {
  const look = LOOKS[code];
  if (look === undefined) throw new Error(`Cannot draw style "${code}": the picture has none`);
  return look;
}

function styleOf({ weight = "plain", colour = "plain" }: Look): RunStyle {
  return colour === "plain" ? weight : colour;
}
