import { describe, expect, it } from "vitest";
import type { OutputEvent } from "../../../../src/mcp/repl/output/output-event.ts";
import { PagedOutput } from "../../../../src/mcp/repl/pager/paged-output.ts";
import { image, lines, out, read, shown } from "../support/printed.ts";

const NOT_MINE = { type: "text", text: "not mine" } as const;
const prompt: OutputEvent = { kind: "prompt", text: "> " };

function paging(...events: OutputEvent[]) {
  const output = new PagedOutput({ pageChars: 80, retainBytes: 1 << 20 });
  for (const event of events) output.add(event);
  const first = output.reply();
  const command = (line: string) => shown(output.page(line) ?? [NOT_MINE]);
  return { output, first: shown(first), command };
}

const eighty = () => paging(out(lines(80, 6)), prompt);

describe("pages", () => {
  it("case 117: end with a line and say where they are", () => {
    expect(eighty().first).toEqual([lines(13, 6), "--More-- (6p, 16.2%, @0..78/480)"]);
  });

  it("are none for output that is one", () => {
    const { output, first } = paging(out("[1] 2\n"), prompt);
    expect(first).toEqual(["[1] 2\n> "]);
    expect(output.isPaging).toBe(false);
  });

  it("are one empty text for no output", () => {
    expect(paging().first).toEqual([""]);
    expect(paging(prompt).first).toEqual(["> "]);
  });

  it.each(["", "  \n", ":next"])("go on with %j, and end with the prompt", (line) => {
    const { output, first, command } = eighty();
    let whole = first[0] ?? "";
    for (let page = 2; page <= 6; page++) whole += command(line)[0] ?? "";
    const last = command(line);
    expect(whole + (last[0] ?? "")).toBe(lines(80, 6));
    expect(last.slice(1)).toEqual(["(END, 100.0%, @468..480/480)", "> "]);
    expect(output.isPaging).toBe(false);
  });

  it("case 118: search shows the match, and quitting shows the prompt", () => {
    const { output, command } = eighty();
    expect(command(":next")[1]).toBe("--More-- (5p, 32.5%, @78..156/480)");
    const [heading, card, footer] = command(":/L0031");
    expect(heading).toContain('match #1 of "L0031" at line 31, @180');
    expect(card).toBe("L0029\nL0030\nL0031\nL0032\nL0033\n");
    expect(footer).toBe("--More-- (4p, 41.2%, @168..198/480)");
    expect(command(":q")).toEqual(["(END, 41.2%, @168..198/480)", "> "]);
    expect(output.isPaging).toBe(false);
  });

  it("are followed by the prompt of the last reply, and by none that is over", () => {
    const { output, command } = eighty();
    output.add(out("KeyboardInterrupt\n"));
    expect(shown(output.reply())).toEqual([
      "KeyboardInterrupt\n",
      expect.stringMatching(/^--More/),
    ]);
    expect(command(":q")).toEqual([expect.stringMatching(/^\(END, /)]);
  });

  it("case 119: leave other input alone, and are gone once it is run", () => {
    const { output, command } = eighty();
    expect(command("1+1")).toEqual(["not mine"]);
    expect(output.isPaging).toBe(true);
    output.dismiss();
    expect(command(":next")).toEqual(["not mine"]);
  });

  it("case 120: are gone when they are dismissed, and the prompt with them", () => {
    const { output } = eighty();
    output.dismiss();
    expect(output.isPaging).toBe(false);
    output.add({ kind: "notice", text: "[repl] new session started" });
    expect(shown(output.reply())).toEqual(["[repl] new session started\n"]);
  });

  it("hold few pictures", () => {
    const pictures = ["a", "b", "c"].map((name) => image(name));
    const { first, command } = paging(out("text\n"), ...pictures, out("end\n"));
    expect(first).toEqual(["text\n", "[a]", expect.stringMatching(/^--More-- \(21p/)]);
    expect(command("")).toEqual(["[b]", expect.stringMatching(/^--More-- \(11p/)]);
    expect(command("")).toEqual(["[c]", expect.stringMatching(/^--More-- \(1p/)]);
    expect(command("")).toEqual(["end\n", "(END, 100.0%, @5..9/9)"]);
  });

  it("name the pictures that are left, also where all of the text was shown", () => {
    const pictures = ["a", "b", "c", "d", "e"].map((name) => image(name));
    const output = new PagedOutput({ pageChars: 1600, retainBytes: 1 << 20 });
    for (const event of [out("text\n"), ...pictures]) output.add(event);
    expect(shown(output.reply()).at(-1)).toMatch(/^--More-- \(\d+p, \d images, 100\.0%/);
    const footers = [];
    while (output.isPaging) footers.push(shown(output.page("") ?? []).at(-1));
    expect(footers.at(-1)).toMatch(/^\(END, 100\.0%/);
    expect(footers.slice(0, -1)).toEqual(
      footers.slice(0, -1).map(() => expect.stringMatching(/ images?, 100/)),
    );
  });

  it("break a line only if it fits none, and never a character", () => {
    const output = new PagedOutput({ pageChars: 1000, retainBytes: 1 << 20 });
    for (const event of [image("p"), out(`${"x".repeat(300)}\n`), out("y".repeat(1500))]) {
      output.add(event);
    }
    expect(shown(output.reply())[1]).toMatch(/^--More--/);
    expect(shown(output.page("") ?? [])[0]).toBe(`${"x".repeat(300)}\n`);
    expect(shown(output.page("") ?? [])[0]).toBe("y".repeat(1000));
    for (const before of ["", "x"]) {
      const [page = ""] = paging(out(before + "😀".repeat(99))).first;
      expect([page.isWellFormed(), page.length]).toEqual([true, before === "" ? 80 : 79]);
    }
  });

  it("show a status beside them and never in them", () => {
    const status: OutputEvent = { kind: "status", text: "<<repl status: busy>>" };
    const { first, command } = paging(out(lines(80, 6)), status);
    expect(first.at(-1)).toBe("<<repl status: busy>>");
    expect(command(":a").join("")).not.toContain("<<");
  });

  it("hide nothing that the server says, which has its place in them too", () => {
    const notices = ["a", "b", "b"].map((text): OutputEvent => ({ kind: "notice", text }));
    const [early, ...late] = notices as [OutputEvent, ...OutputEvent[]];
    const { first, command } = paging(early, out(lines(20, 6)), ...late, out("end\n"));
    expect(first).toEqual([`a\n${lines(13, 6)}`, "--More-- (1p, 61.5%, @0..80/130)", "b"]);
    expect(command("")[0]).toBe(`${lines(20, 6).slice(78)}b\nb\nend\n`);
  });

  it("say that older output is gone", () => {
    const output = new PagedOutput({ pageChars: 80, retainBytes: 4096 });
    output.add(out(lines(5000, 6)));
    expect(read(output.reply())).toMatch(/^\[repl\] output truncated \(older output dropped\)\n/);
    expect(read(output.page(":tail") ?? [])).toContain("L5000\n(END, 100.0%");
  });
});

describe("commands", () => {
  it.each([
    [":next 2", [lines(39, 6).slice(78), "--More-- (4p, 48.8%, @78..234/480)"]],
    [":skip 1", [lines(39, 6).slice(156, 234), "--More-- (4p, 48.8%, @156..234/480)"]],
    [":a", [lines(80, 6).slice(78), "(END, 100.0%, @78..480/480)", "> "]],
    [":tail 12", ["L0079\nL0080\n", "(END, 100.0%, @468..480/480)", "> "]],
    [":tail 3l", ["L0078\nL0079\nL0080\n", "(END, 100.0%, @462..480/480)", "> "]],
    [":range 6 12", ["L0002\n", "--More-- (6p, 2.5%, @6..12/480)"]],
    [":range 6-12", ["L0002\n", "--More-- (6p, 2.5%, @6..12/480)"]],
    [":seek 402", [lines(80, 6).slice(402, 480), "(END, 100.0%, @402..480/480)", "> "]],
    [":seek 50%", [lines(80, 6).slice(240, 318), "--More-- (3p, 66.2%, @240..318/480)"]],
    [":seek line 79", ["L0079\nL0080\n", "(END, 100.0%, @468..480/480)", "> "]],
    [":seek 1k", ["(END, 100.0%, @480..480/480)", "> "]],
    [":where L002", ['[pager] 10 matches of "L002", next is #1 at line 20, @114\n', null]],
    [":where -i l0079", ['[pager] 1 match of "l0079", next is #1 at line 79, @468\n', null]],
    [":where L0001", ['[pager] 1 match of "L0001", none ahead\n', null]],
    [":matches -n 1 L008", ['[pager] 1 match of "L008"\n#1 line 80 @474: L0080\n', null]],
    [":/nowhere", ['[pager] no such match\n[pager] 0 matches of "nowhere", none ahead\n', null]],
    [":n", ["[pager] nothing was searched for yet; use :/text\n", null]],
    [":help", [expect.stringContaining(":matches"), null]],
  ])("%s", (line, expected) => {
    const footer = "--More-- (6p, 16.2%, @0..78/480)";
    expect(eighty().command(line)).toEqual(expected.map((item) => item ?? footer));
  });

  it.each([":bogus", ":next x", ":next 0", ":skip", ":range 9 3", ":seek", ":/", ":q now"])(
    "%s is refused by name, and the pager stays",
    (line) => {
      const { output, command } = eighty();
      expect(command(line)[0]).toContain(`[pager] unrecognized command: ${line}`);
      expect(output.isPaging).toBe(true);
    },
  );

  it.each([":", ": > f.txt", ":; echo on", ":(){ :; }"])("%s is a command of a shell", (line) => {
    expect(eighty().command(line)).toEqual(["not mine"]);
  });

  it("do not repeat what was shown", () => {
    const { command } = eighty();
    expect(command(":seek 60")).toEqual([
      "[pager] elided output (already shown): @60..78\n",
      lines(80, 6).slice(78, 156),
      "--More-- (5p, 32.5%, @60..156/480)",
    ]);
  });

  it("do not repeat a picture, and never pass over one that was not shown", () => {
    const { command } = paging(out("a\n".repeat(30)), image("p"), out("b\n".repeat(30)));
    expect(command("")).toEqual(["b\n".repeat(30), "(END, 100.0%, @60..120/120)"]);
    const found = paging(out(lines(20, 6)), image("p"), out(lines(20, 6)));
    expect(found.command(":/L0020").join("")).toContain("L0020\n[p]L0001");
    expect(found.command(":seek 110").join("")).toContain("[pager] image #1 already shown\n");
  });

  it("move between the matches of the last search", () => {
    const { command } = eighty();
    const at = (line: string) =>
      /match #(\d+) .* at line (\d+)/.exec(command(line)[0] ?? "")?.slice(1);
    expect(at(":/5")).toEqual(["2", "15"]);
    expect(at(":n")).toEqual(["3", "25"]);
    expect(at(":n 2")).toEqual(["5", "45"]);
    expect(at(":p")).toEqual(["4", "35"]);
    expect(at(":goto 1")).toEqual(["1", "5"]);
    expect(at(":p")).toBe(undefined);
    expect(at(":/L0031")).toEqual(["1", "31"]);
    command(":where 5");
    expect(at(":n")).toEqual(["4", "35"]);
  });

  it("list matches under the headings they stand under", () => {
    const page = "# Top\n## First\nneedle\n## Second\n### Deep\nneedle (x.*)\n";
    const { command } = paging(out(page + "filler\n".repeat(20)));
    expect(command(":matches needle")[0]).toBe(
      '[pager] 2 matches of "needle"\n#1 line 3 @15 (Top > First): needle\n#2 line 6 @41 (Top > Second > Deep): needle (x.*)\n',
    );
    expect(command(":hits --count 1 -C 1 needle")[0]).toBe(
      '[pager] 2 matches of "needle"\n#1 line 3 @15 (Top > First): \n  ## First\n  needle\n  ## Second\n[pager] 1 more not listed\n',
    );
    expect(command(":matches (x.*")[0]).toContain("1 match of");
    expect(command(":matches n..dle")[0]).toContain("0 matches of");
  });
});
