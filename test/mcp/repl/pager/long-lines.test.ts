/** Long lines and many matches: what a search shows of them, and how long that takes. */
import { describe, expect, it } from "vitest";
import { Pager } from "../../../../src/mcp/repl/pager/pager.ts";
import { read } from "../support/printed.ts";

/** What the last of some lines to a pager shows; its last item is the footer. */
function asked(text: string, ...lines: readonly string[]): string {
  const pager = new Pager(100);
  pager.open([{ kind: "text", stream: "stdout", text, mark: "" }]);
  const replies = lines.map((line) => pager.command(line));
  const reply = replies.at(-1);
  return reply === undefined || reply.kind === "notMine" ? "" : read(reply.content.slice(0, -1));
}

const LINE = `${"x".repeat(300_000)}needle${"y".repeat(300_000)}`;

describe("a line that is longer than a page", () => {
  it("is shown around a match, and no more than a page of it", () => {
    const [heading = "", card = ""] = asked(LINE, ":/needle").split("\n");
    expect(heading).toContain("line 1, @300000");
    expect(card).toBe(`${"x".repeat(50)}needle${"y".repeat(44)}`);
  });

  it("is shown with the lines beside it as far as a page has room for them", () => {
    const card = asked(`first\n${"x".repeat(90)}\nnear\nneedle\n${"y".repeat(90)}\n`, ":/needle");
    expect(card.split("\n").slice(1)).toEqual(["near", "needle", ""]);
  });

  it.each([0, 1])("is listed around a match, with %i lines beside it", (context) => {
    const text = `above\n${LINE}\nbelow\n`;
    const listed = asked(text, `:matches -C ${context} needle`);
    expect(listed).toContain(`…${"x".repeat(100)}needle${"y".repeat(94)}…`);
    expect(listed.length).toBeLessThan(300);
  });

  it("is never cut within a character", () => {
    for (const before of ["", "x"]) {
      const text = `${before}${"😀".repeat(300)}needle${"😀".repeat(300)}`;
      for (const line of [":/needle", ":matches needle", ":matches -C 5 needle"]) {
        expect(asked(text, line)).toContain("😀needle😀");
        expect(asked(text, line).isWellFormed()).toBe(true);
      }
    }
  });

  it("takes no longer to search for every match that it has", { timeout: 5_000 }, () => {
    const text = "ab".repeat(1_000_000);
    expect(asked(text, ":where a")).toContain("1000000 matches");
    expect(asked(text, ":matches -n 1 a")).toContain("999999 more not listed");
  });

  it("takes no longer to pass over for every page that it has", { timeout: 5_000 }, () => {
    expect(asked("ab".repeat(2_000_000), ":skip 39000")).toBe("ab".repeat(50));
  });
});

describe("a list of matches", () => {
  it("has no half of a character in the headings that it cuts", () => {
    for (const before of ["", "x"]) {
      const text = `# ${before}${"😀".repeat(150)}\nneedle\n${LINE}`;
      expect(asked(text, ":matches needle")).toContain("😀");
      expect(asked(text, ":matches needle").isWellFormed()).toBe(true);
      expect(asked(text, ":/needle").isWellFormed()).toBe(true);
    }
  });

  it("is no longer than a reply, and says how many it has not", () => {
    const listed = asked(`${"n".repeat(300)}\n`.repeat(2_000), ":matches -n all -C 5 nn");
    expect(listed.length).toBeLessThan(210_000);
    const shown = listed.match(/^#/gm)?.length ?? 0;
    expect(listed).toMatch(new RegExp(`^\\[pager\\] ${300_000 - shown} more not listed$`, "m"));
  });
});

describe("a command that is longer than any", () => {
  const long = "z".repeat(100_000);

  it.each([":/", ":/i ", ":where ", ":matches ", ":hits -i ", ":"])(
    "is refused as what it begins with: %s",
    (name) => {
      const said = asked(LINE, `${name}${long}`);
      expect(said).toContain(`[pager] unrecognized command: ${name}zzz`);
      expect(said.length).toBeLessThan(300);
    },
  );
});
