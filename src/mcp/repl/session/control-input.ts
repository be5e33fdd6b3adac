/** What the input of a call asks for, by its first characters. */

export interface ControlInput {
  /** In the order they are done, before the text. */
  readonly controls: readonly ("interrupt" | "restart")[];
  /** What is left to run; empty when there is nothing. */
  readonly text: string;
}

const CONTROLS: Readonly<Record<string, "interrupt" | "restart">> = {
  "\u0003": "interrupt",
  "\u0004": "restart",
};

/** Takes the control characters off the front of an input. Anywhere else they are text. */
export function controlInput(input: string): ControlInput {
  const controls: ("interrupt" | "restart")[] = [];
  let at = 0;
  for (let next = CONTROLS[input.charAt(at)]; next; next = CONTROLS[input.charAt(at)]) {
    controls.push(next);
    at += 1;
  }
  return { controls, text: input.slice(at) };
}
