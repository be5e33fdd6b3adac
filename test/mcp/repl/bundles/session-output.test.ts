import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  Bundles,
  type BundlesOptions,
  DEFAULT_BUNDLE_LIMITS,
} from "../../../../src/mcp/repl/bundles/bundles.ts";
import type { OutputEvent } from "../../../../src/mcp/repl/output/output-event.ts";
import { DEFAULT_BUDGET } from "../../../../src/mcp/repl/output/reply-budget.ts";
import { SessionOutput } from "../../../../src/mcp/repl/output/session-output.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { err, image, lines, out, read, shown } from "../support/printed.ts";

const prompt: OutputEvent = { kind: "prompt", text: "> " };

function opened(limits: Partial<BundlesOptions> = {}) {
  const folder = path.join(temporaryFolder(), "bundles");
  const bundles = new Bundles({ folder, ...DEFAULT_BUNDLE_LIMITS, ...limits });
  const session = () =>
    new SessionOutput({ bundles, budget: DEFAULT_BUDGET, retainBytes: 64 << 20 });
  return { folder, bundles, output: session(), session };
}

function print(output: SessionOutput, ...events: OutputEvent[]) {
  for (const event of events) output.add(event);
  return output.reply();
}

/** The files of a bundle by their names in it. */
function filesOf(folder: string, name = "output-0001"): string[] {
  const files = readdirSync(path.join(folder, name), { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .map((file) => path.relative(path.join(folder, name), path.join(file.parentPath, file.name)))
    .sort();
}

const text = (folder: string, file: string) => readFileSync(path.join(folder, file), "utf8");

describe("a request that prints little", () => {
  it("writes nothing", () => {
    const { folder, output } = opened();
    print(output, out("x".repeat(3700)), prompt);
    expect(existsSync(folder)).toBe(false);
  });
});

describe("a request that prints too much", () => {
  it("case 109: has all of its text in one file, and no other", () => {
    const { folder, output } = opened();
    const reply = print(output, out(lines(80, 125)), err("e\n"), prompt);
    const file = path.join(folder, "output-0001/transcript.txt");
    expect(read(reply)).toContain(`full output: ${file}]...`);
    expect(readFileSync(file, "utf8")).toBe(`${lines(80, 125)}stderr: e\n> `);
    expect(filesOf(folder)).toEqual(["transcript.txt"]);
  });

  it("is for its owner only", () => {
    const { folder, output } = opened();
    print(output, out(lines(80, 125)));
    const modes = ["", "output-0001", "output-0001/transcript.txt"].map(
      (name) => statSync(path.join(folder, name)).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o700, 0o600]);
  });

  it("case 111: has the echo in the file and not in the reply", () => {
    const { folder, output } = opened();
    const assignments = Array.from({ length: 2000 }, (_, n) => `x${n} <- ${n}\n`);
    const echoes = assignments.map((line): OutputEvent => ({ kind: "echo", text: `> ${line}` }));
    const reply = read(print(output, ...echoes, prompt));
    expect(reply).toMatch(/^> \n\.\.\.\[full output: .*transcript\.txt\]\.\.\.\n$/);
    expect(read(print(output, out("next\n")))).toBe("next\n");
    output.close();
    const transcript = text(folder, "output-0001/transcript.txt");
    expect(transcript).toBe(`${assignments.map((line) => `> ${line}`).join("")}> next\n`);
  });

  it("is on disk also when only the marks of stderr make it too much", () => {
    const { folder, output } = opened();
    const pairs = Array.from({ length: 500 }, () => [out("o\n"), err("e\n")]).flat();
    expect(read(print(output, ...pairs))).toContain("full output: ");
    expect(text(folder, "output-0001/transcript.txt")).toBe("o\nstderr: e\n".repeat(500));
  });

  it("case 112: has what earlier replies showed, at one place, and no status", () => {
    const { folder, output } = opened();
    output.begin();
    const busy: OutputEvent = { kind: "status", text: "<<repl status: busy>>" };
    expect(shown(print(output, out("early\n"), busy))).toEqual([
      "early\n",
      "<<repl status: busy>>",
    ]);
    expect(read(print(output, out(lines(80, 125)), busy))).toContain("output-0001");
    expect(read(print(output, out("small\n")))).toBe("small\n");
    expect(read(print(output, out(lines(80, 125))))).toContain("output-0001");
    const all = `early\n${lines(80, 125)}small\n${lines(80, 125)}`;
    expect(text(folder, "output-0001/transcript.txt")).toBe(all);
    expect(readdirSync(folder)).toEqual(["output-0001"]);
  });

  it("has its own bundle, which begins with what was printed while nobody looked", () => {
    const { folder, output } = opened();
    print(output, out(lines(80, 125)));
    output.add(out("background\n"));
    output.begin();
    print(output, out(lines(90, 125)));
    expect(text(folder, "output-0001/transcript.txt")).toBe(`${lines(80, 125)}background\n`);
    expect(text(folder, "output-0002/transcript.txt")).toBe(`background\n${lines(90, 125)}`);
  });

  it("loses nothing of a flood that came while nobody looked", () => {
    const { folder, output } = opened();
    const flood = lines(9000, 125);
    output.add(out(flood));
    output.begin();
    expect(read(print(output, out("next\n")))).toContain("of 9001 total");
    expect(text(folder, "output-0001/transcript.txt")).toBe(`${flood}next\n`);
  });

  it("can still be replied when its session was closed", () => {
    const { output } = opened();
    output.add(out(lines(80, 125)));
    output.close();
    expect(read(output.reply())).toContain("full output: ");
  });

  it("is on disk whole, however little of it a reply is made of", () => {
    const { folder, output } = opened();
    const chunk = out(lines(80, 100));
    for (let count = 0; count < 2500; count++) output.add(chunk);
    expect(read(output.reply())).toContain("of 200000 total");
    expect(statSync(path.join(folder, "output-0001/transcript.txt")).size).toBe(20_000_000);
  });
});

describe("input", () => {
  it("case 121: is never a command of a pager", () => {
    const { output } = opened();
    print(output, out(lines(80, 125)));
    expect([output.isPaging, output.page()]).toEqual([false, undefined]);
  });
});

describe("pictures", () => {
  const six = [1, 2, 3, 4, 5, 6].flatMap((n) => [out(`text ${n}\n`), image(`pic${n}`, String(n))]);

  it("case 100: are all in the bundle, in order with the text", () => {
    const { folder, output } = opened();
    const reply = print(output, ...six, { kind: "notice", text: 'say "hi"' }, prompt);
    expect(read(reply)).toContain(`index: ${path.join(folder, "output-0001/events.log")}]...`);
    const numbers = ["001", "002", "003", "004", "005", "006"];
    expect(filesOf(folder)).toEqual(
      [
        "events.log",
        ...numbers.map((number) => `images/${number}.png`),
        ...numbers.map((number) => `images/history/${number}/001.png`),
        "transcript.txt",
      ].sort(),
    );
    expect(text(folder, "output-0001/images/003.png")).toBe("pic3");
    const rows = text(folder, "output-0001/events.log").split("\n");
    expect(rows.slice(0, 7)).toEqual([
      "v1",
      "text transcript.txt",
      "images images/",
      "T lines=1-1 bytes=0-7",
      "I images/history/001/001.png",
      "T lines=2-2 bytes=7-14",
      "I images/history/002/001.png",
    ]);
    expect(rows.slice(-3)).toEqual(['S "say \\"hi\\""', "T lines=7-7 bytes=42-44", ""]);
  });

  it("are there in every state, and as they are now", () => {
    const { folder, output } = opened();
    print(output, ...Array.from({ length: 6 }, (_, n) => image(`s${n}`, "1", n > 0)));
    const history = [1, 2, 3, 4, 5, 6].map((n) => `images/history/001/00${n}.png`);
    expect(filesOf(folder)).toEqual(["images/001.png", ...history]);
    expect(text(folder, "output-0001/images/001.png")).toBe("s5");
    expect(text(folder, "output-0001/images/history/001/002.png")).toBe("s1");
  });

  it("go to the bundle when one is too large for a reply", () => {
    const { folder, bundles } = opened();
    const budget = { ...DEFAULT_BUDGET, imageBytes: 4 };
    const output = new SessionOutput({ bundles, budget, retainBytes: 1 << 20 });
    const reply = shown(print(output, image("large")));
    expect(reply).toEqual([expect.stringContaining(path.join(folder, "output-0001/images"))]);
    expect(text(folder, "output-0001/images/001.png")).toBe("large");
  });
});

describe("limits", () => {
  it("case 113: remove the oldest bundle", () => {
    const { folder, output } = opened({ maxCount: 2 });
    for (let count = 0; count < 3; count++) {
      output.begin();
      print(output, out(lines(80, 125)));
    }
    expect(readdirSync(folder).sort()).toEqual(["output-0002", "output-0003"]);
  });

  it("never remove one that is in use", () => {
    const { folder, output, session } = opened({ maxCount: 1 });
    print(output, out(lines(80, 125)));
    expect(read(print(session(), out(lines(80, 125))))).toContain("output bundle unavailable");
    expect(readdirSync(folder)).toEqual(["output-0001"]);
  });

  it("case 114: keep the head of a bundle, whole characters of it, and say so", () => {
    const { folder, output } = opened({ maxBundleBytes: 2049 });
    const reply = print(output, out("é".repeat(6000)), out("more\n"));
    expect(read(reply)).toContain("transcript.txt; later content omitted]...");
    expect(text(folder, "output-0001/transcript.txt")).toBe("é".repeat(1024));
    expect(text(folder, "output-0001/events.log")).toContain("T lines=1-1 bytes=0-2048");
    print(output, out("later\n"), image("i"));
    expect(text(folder, "output-0001/transcript.txt")).toBe("é".repeat(1024));
    expect(filesOf(folder)).toEqual(["events.log", "transcript.txt"]);
  });

  it("keep nothing that comes after what was left out", () => {
    const { folder, output } = opened({ maxBundleBytes: 6000 });
    print(output, out("x".repeat(5000)), image("p".repeat(800)), image("s"), out("later\n"));
    expect(text(folder, "output-0001/transcript.txt")).toBe("x".repeat(5000));
    expect(filesOf(folder)).toEqual(["events.log", "transcript.txt"]);
  });

  it("count what a bundle has already", () => {
    const { folder, output } = opened({ maxBundleBytes: 12_000 });
    print(output, out("x".repeat(10_000)));
    print(output, out("y".repeat(10_000)));
    expect(text(folder, "output-0001/transcript.txt")).toBe("x".repeat(10_000) + "y".repeat(2000));
  });

  it("make room for a bundle by the oldest, in bytes too", () => {
    const { folder, output } = opened({ maxTotalBytes: 15_000 });
    for (let count = 0; count < 2; count++) {
      output.begin();
      print(output, out(lines(80, 125)));
    }
    expect(readdirSync(folder)).toEqual(["output-0002"]);
    expect(text(folder, "output-0002/transcript.txt")).toBe(lines(80, 125));
  });
});

describe("a disk that does not take it", () => {
  it("case 115: is said in the reply, which is otherwise as it would be", () => {
    const { folder, output } = opened();
    writeFileSync(folder, "a file where the folder should be");
    const reply = read(print(output, out(lines(80, 125)), prompt));
    expect(reply).toContain("of 81 total; output bundle unavailable]...");
    expect(reply).toMatch(/^L0001/);
    expect(reply).toMatch(/> $/);
  });

  it("keeps the characters it took before it was full", () => {
    let left = 15_001;
    const write = (fd: number, bytes: Uint8Array) => {
      left -= writeSync(fd, bytes.subarray(0, left));
      if (left === 0) throw new Error("ENOSPC");
    };
    const { folder, output } = opened({ write });
    expect(read(print(output, out(lines(80, 125))))).not.toContain("omitted");
    expect(read(print(output, out("é".repeat(5000))))).toContain("later content omitted]...");
    expect(text(folder, "output-0001/transcript.txt")).toBe(`${lines(80, 125)}${"é".repeat(2500)}`);
  });

  it("is no place at all when it took nothing", () => {
    const { output } = opened({
      write: () => {
        throw new Error("ENOSPC");
      },
    });
    const reply = read(print(output, image("a"), out(lines(80, 125))));
    expect(reply).toContain("one image shown inline; output bundle unavailable]...");
    output.begin();
    const next = read(print(output, out(lines(80, 125))));
    expect(next).toContain("of 80 total; output bundle unavailable]...");
  });

  it("refuses a folder that somebody else put where the bundle should be", () => {
    const { folder, output } = opened();
    const target = temporaryFolder();
    mkdirSync(folder);
    symlinkSync(target, path.join(folder, "output-0001"));
    expect(read(print(output, out(lines(80, 125))))).toContain("output bundle unavailable");
    expect(readdirSync(target)).toEqual([]);
  });
});

describe("the end of a server", () => {
  it("case 116: removes every bundle and their folder", () => {
    const { folder, bundles, output } = opened();
    print(output, out(lines(80, 125)));
    bundles.removeAll();
    expect(existsSync(folder)).toBe(false);
  });

  it("removes nothing that is not a bundle", () => {
    const { folder, bundles, output } = opened();
    print(output, out(lines(80, 125)));
    writeFileSync(path.join(folder, "other"), "");
    bundles.removeAll();
    expect(readdirSync(folder)).toEqual(["other"]);
  });
});
