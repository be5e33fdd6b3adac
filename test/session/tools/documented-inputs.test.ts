/** The inputs that docs/sessions.md gives for each tool, put to the tool. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { sessionLab } from "../support/session-lab.ts";

const ROW = /^\| `(\w+)` \| `(\{.*\})` \|/gm;

const rows = [...readFileSync("docs/sessions.md", "utf8").matchAll(ROW)].map(
  ([, tool = "", input = ""]) => ({ tool, input: JSON.parse(input) }),
);

it("are there for each of the seven", () => {
  expect(rows.filter(({ tool }) => sessionLab().session.tools.supports(tool))).toHaveLength(7);
});

it.each(rows)("are taken by $tool", async ({ tool, input }) => {
  const lab = sessionLab();
  const said = await lab.tool(tool, input).then(
    () => "",
    ({ message }: Error) => message,
  );
  expect(said).not.toMatch(/" (has un|is (missing|unusable|too))/);
});

it.each(rows)("are all that $tool takes", async ({ tool, input }) => {
  const more = sessionLab().tool(tool, { ...input, more: 1 });
  await expect(more).rejects.toThrow('has unrecognized key: "more"');
});
