/** What a page tells its reader to do, in its order, and what it says will be shown. */
import { codeBlocks } from "../../../contracts/support/markdown.ts";

export type ReadmeStep =
  /** Typed here, or on the other machine, where it goes on while the reader does. */
  | {
      readonly kind: "type";
      readonly where: "here" | "there";
      readonly line: string;
      readonly shown: readonly string[];
    }
  | { readonly kind: "save"; readonly name: string; readonly text: string }
  /** Settings of MCP servers. */
  | { readonly kind: "settings"; readonly text: string }
  /** Lines that prepare a checkout. */
  | { readonly kind: "prepare"; readonly lines: readonly string[] };

/** Every block is a step that can be done; throws on one that nobody would do. */
export function readmeSteps(page: string): ReadmeStep[] {
  return codeBlocks(page).flatMap(({ language, name, text }): ReadmeStep[] => {
    if (language === "console") return typedIn(text);
    if (name !== "") return [{ kind: "save", name, text }];
    if (language === "toml") return [{ kind: "settings", text }];
    if (language === "sh") return [{ kind: "prepare", lines: text.trim().split("\n").map(bare) }];
    throw new Error(`Nobody runs this block of the page, in "${language}":\n${text}`);
  });
}

const PROMPT = /^(there)?\$ /;

function typedIn(text: string): ReadmeStep[] {
  const [before = "", ...steps] = text.trimEnd().split(/^(?=(?:there)?\$ )/m);
  if (!PROMPT.test(before)) throw new Error(`Nobody typed what this block shows:\n${text}`);
  return [before, ...steps].map((step) => {
    const [typed = "", ...shown] = step.trimEnd().split("\n");
    const where = typed.startsWith("there") ? "there" : "here";
    return { kind: "type", where, line: bare(typed.replace(PROMPT, "")), shown };
  });
}

function bare(line: string): string {
  return line.replace(/\s+#.*$/, "");
}
