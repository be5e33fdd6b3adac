/** The command line of `repl` as far as it gets without a client. */
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openDebugLog } from "../../../src/cli/repl/debug-log.ts";
import { readOutputOptions } from "../../../src/cli/repl/output-options.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { writ, writIn } from "../support/cli-world.ts";

const WORLD = { ...{ hostname: "host", platform: "linux" }, ...{ cwd: "/", home: "/" } };
const quiet = { ...WORLD, out: () => {}, err: () => {} };

describe("writ repl", () => {
  it("prints its version", async () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    expect(await writ(["repl", "--version"])).toEqual({ status: 0, out: `${version}\n`, err: "" });
  });

  it("has a help of 80 columns that names its options", async () => {
    const { status, out } = await writ(["repl", "--help"]);
    expect(status).toBe(0);
    expect(Math.max(...out.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(80);
    for (const name of ["language", "sandbox", "oversized-output", "debug-dir", "worker-spec"]) {
      expect(out).toContain(`--${name}`);
    }
    expect(out).toContain("bash or r (default)");
  });

  it.each([
    ["a word", ["python"], /"python": expected options only/],
    ["an option that is not there", ["--interpret", "r"], /--interpret/],
    ["a language that is not there", ["--language", "perl"], /"perl": expected python, node/],
    ["two words for it", ["--language", "node", "--interpreter", "node"], /expected one of them/],
    ["an interpreter twice", ["--interpreter", "node", "--interpreter", "node"], /twice/],
    ["another way for output", ["--oversized-output", "mail"], /expected files or pager/],
    ["that twice", ["--oversized-output", "files", "--oversized-output", "files"], /twice/],
    ["a spec and a language", ["--worker-spec", "w.json", "--language", "node"], /one of them/],
    [
      "a spec that is not there",
      ["--worker-spec", "w.json"],
      /Cannot read --worker-spec ".*": there is no such file, expected a file of JSON\n/,
    ],
    ["a mode that is not there", ["--sandbox", "none"], /--sandbox "none": expected inherit/],
    ["domains", ["--add-allowed-domain", "*"], /need a proxy/],
    ["an empty folder for the log", ["--language", "node", "--debug-dir", ""], /it is empty/],
  ])("exits 2 with a sentence on %s", async (_, args, message) => {
    const folder = temporaryFolder();
    const { status, out, err } = await writ(["repl", ...args], folder, path.join(folder, "home"));
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toMatch(message);
    expect(err).toMatch(/^writ: .+\nRun: writ repl --help\n$/);
  });

  it.each([
    [{ MCP_REPL_USE_LINUX_BWRAP: "0" }, /="0": it would take the sandbox away/],
    [{ MCP_REPL_USE_LINUX_BWRAP: "False" }, /="false": it would take the sandbox away/],
    [{ MCP_REPL_INTERPRETER: "perl" }, /"perl": expected python/],
    [{ MCP_REPL_PAGER_PAGE_CHARS: "63" }, /PAGE_CHARS="63": expected a whole number from 64/],
    [{ MCP_REPL_OUTPUT_BUNDLE_MAX_COUNT: "0" }, /MAX_COUNT="0": expected a whole number from 1/],
    [{ MCP_REPL_OUTPUT_BUNDLE_MAX_BYTES: "1.5" }, /expected a whole number/],
    [{ MCP_REPL_OUTPUT_BUNDLE_MAX_TOTAL_BYTES: "x" }, /expected a whole number/],
  ])("exits 2 with a sentence in a world with %j", async (env, message) => {
    const folder = temporaryFolder();
    const world = { folder, env: { WRIT_HOME: path.join(folder, "home"), ...env }, home: folder };
    const { status, err } = await writIn(["repl"], world);
    expect(status).toBe(2);
    expect(err).toMatch(message);
  });

  it("says which interpreter is missing", async () => {
    const folder = temporaryFolder();
    const world = { folder, env: { PATH: folder, WRIT_HOME: folder }, home: folder };
    const { status, err } = await writIn(["repl", "--language", "python"], world);
    expect([status, err]).toEqual([2, expect.stringMatching(/Cannot run python: .*not found/)]);
  });
});

describe("readOutputOptions", () => {
  it("takes the variables of mcp-repl, and the older one for pages where the newer is not", () => {
    const read = (env: Record<string, string>) => readOutputOptions({}, { ...quiet, env });
    const limits = { maxCount: 20, maxBundleBytes: 1 << 30, maxTotalBytes: 2 ** 31 };
    expect(read({})).toEqual({ oversized: "pager", pageChars: 3500, ...limits });
    expect(read({ MCP_REPL_PAGER_PAGE_BYTES: "80" }).pageChars).toBe(80);
    const both = { MCP_REPL_PAGER_PAGE_BYTES: "80", MCP_REPL_PAGER_PAGE_CHARS: "90" };
    expect(read(both).pageChars).toBe(90);
    expect(read({ MCP_REPL_OUTPUT_BUNDLE_MAX_COUNT: "2" }).maxCount).toBe(2);
  });
});

describe("openDebugLog", () => {
  it("writes a line for each event, for this user alone, in a folder of each start", () => {
    const cwd = temporaryFolder();
    const debug = openDebugLog({ "debug-dir": "logs" }, { ...quiet, cwd, env: {} });
    debug?.log({ event: "start" });
    debug?.log({ event: "call", input: "a\nb" });
    const [name = "", ...others] = readdirSync(path.join(cwd, "logs"));
    expect([name, others]).toEqual([expect.stringMatching(/^session-\d+-\d+$/), []]);
    const file = path.join(cwd, "logs", name, "events.jsonl");
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { at: expect.stringMatching(/Z$/), event: "start" },
      { at: expect.stringMatching(/Z$/), event: "call", input: "a\nb" },
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
  });

  it("takes the variable where no option says otherwise, and nothing for nothing", () => {
    const cwd = temporaryFolder();
    const open = (flags: Record<string, string>, MCP_REPL_DEBUG_DIR?: string) =>
      openDebugLog(flags, { ...quiet, cwd, env: { MCP_REPL_DEBUG_DIR } })?.folder;
    expect(open({}, `${cwd}/env`)).toContain("/env/session-");
    expect(open({ "debug-dir": "flag" }, `${cwd}/env`)).toContain("/flag/session-");
    expect([open({}), open({}, "")]).toEqual([undefined, undefined]);
  });

  it("refuses a place where nothing can be written", () => {
    const cwd = temporaryFolder({ file: "" });
    mkdirSync(path.join(cwd, "x"));
    const flags = { "debug-dir": "file" };
    expect(() => openDebugLog(flags, { ...quiet, cwd, env: {} })).toThrow(
      /^Cannot write to --debug-dir "file": a file is in its way, expected a folder that can be written$/,
    );
  });
});
