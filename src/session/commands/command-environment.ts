import { Refusal } from "../refusal.ts";

type Environment = Readonly<Record<string, string>>;

/** Nobody sits in front of a command: it is not to ask, page, colour or wait. */
const NON_INTERACTIVE: Environment = {
  CI: "1",
  TERM: "dumb",
  NO_COLOR: "1",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GCM_INTERACTIVE: "never",
  GH_PROMPT_DISABLED: "1",
  GH_NO_UPDATE_NOTIFIER: "1",
  DEBIAN_FRONTEND: "noninteractive",
  PIP_NO_INPUT: "1",
};

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The variables of a command: the fixed ones, then its own. Values arrive as they are; no shell reads them. */
export function commandEnvironment(own: Environment): Environment {
  for (const [name, value] of Object.entries(own)) {
    if (!NAME.test(name)) throw refusal(name, "it is no name", "letters, digits and _");
    if (value.includes("\0")) throw refusal(name, "its value holds a zero byte", "text without");
  }
  return { ...NON_INTERACTIVE, ...own };
}

function refusal(name: string, is: string, expected: string): Refusal {
  const shown = JSON.stringify(name.slice(0, 100));
  return new Refusal(
    "invalidInput",
    `Cannot set the variable ${shown}: ${is}, expected ${expected}`,
  );
}
