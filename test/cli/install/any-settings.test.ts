import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { campaign } from "../../support/campaign.ts";
import { clientHome } from "./support/client-home.ts";

const name = fc.oneof(
  fc.constantFrom(
    "mcp_servers",
    "features",
    "code_mode",
    "python",
    "a-b",
    '"x.y"',
    "'#z'",
    '"\\u0041"',
  ),
  fc.stringMatching(/^[a-z0-9_-]{1,6}$/),
);

const scalar = fc.oneof(
  fc.constantFrom(
    "1_000",
    "0xff",
    "-0.5e3",
    "inf",
    "true",
    "1979-05-27T07:32:00Z",
    "07:32:00",
    '""',
  ),
  fc.constantFrom(
    '"[x]\\""',
    "'# no'",
    '"""\n[mcp_servers.python]\n"" x\\\\"""',
    "'''\n]\n'' y'''",
    '"""a"""""',
  ),
  fc.string({ maxLength: 12 }).map((text) => JSON.stringify(text).replaceAll("\x7f", "\\u007f")),
);

const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    scalar,
    fc
      .tuple(fc.array(tie("value"), { maxLength: 3 }), fc.constantFrom(", ", " ,", ", # ] c\n  "))
      .map(([items, comma]) => `[${items.join(comma)}${comma.includes("#") ? "\n" : ""}]`),
    fc
      .uniqueArray(fc.tuple(name, tie("value")), { maxLength: 3, selector: ([key]) => key })
      .map((pairs) => `{ ${pairs.map((pair) => pair.join(" = ")).join(", ")} }`),
  ),
}));

const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(name, value, fc.constantFrom("", " # [c]"))
      .map(([key, one, end]) => `${key} = ${one}${end}`),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(name, name, value).map(([a, b, one]) => `  ${a} . ${b}\t= ${one}`),
  },
  {
    weight: 3,
    arbitrary: fc
      .array(name, { minLength: 1, maxLength: 3 })
      .map((names) => `[${names.join(".")}]`),
  },
  { weight: 1, arbitrary: name.map((one) => `[[ ${one} ]]`) },
  { weight: 1, arbitrary: fc.constantFrom("", "# [mcp_servers.python]", "\t") },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '[mcp_servers.python]\ncommand = "writ"',
      "[features]\ncode_mode = true",
      "[features.code_mode]\ndirect_only_tool_namespaces = [\n  'a',\n  \"mcp__r\" # last\n]",
    ),
  },
);

/** Texts that are TOML, of every kind of statement. */
const settings = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom("\n", "\r\n"), fc.boolean())
  .map(([lines, eol, ends]) => (lines.join("\n") + (ends ? "\n" : "")).replaceAll("\n", eol))
  .filter(isToml);

function isToml(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

const FILE = ".codex/config.toml";

/** All that a text says, but for what install has a say in. */
function others(text: string): unknown {
  const said = parse(text);
  const servers = { ...(said.mcp_servers as object) } as Record<string, unknown>;
  const features = { ...(said.features as object) } as Record<string, unknown>;
  const mode = features.code_mode;
  const { enabled, direct_only_tool_namespaces: names, ...rest } = Object(mode);
  delete servers.python;
  delete features.code_mode;
  const switched = typeof mode === "boolean" ? mode : enabled;
  const left = (names as string[] | undefined)?.filter((one) => one !== "mcp__python") ?? [];
  return { ...said, mcp_servers: servers, features, mode: { ...rest, switched, left } };
}

describe("any settings", () => {
  it("say the same about everything else after install, or are refused and stay as they are", async () => {
    const home = clientHome({ [FILE]: "" });
    const counts = { changed: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(settings, async (text) => {
        fs.writeFileSync(path.join(home.folder, FILE), text);
        const { status } = await home.install("codex", "--language", "python");
        const after = home.read(FILE);
        counts[status === 0 ? "changed" : "refused"] += 1;
        if (status !== 0) {
          expect(after).toBe(text);
          return;
        }
        expect(others(after)).toEqual(others(text));
        expect(parse(after)).toMatchObject({
          mcp_servers: { python: { tool_timeout_sec: 1800, enabled: true } },
        });
        const kept = new Set(after.split(/\r?\n/));
        const lost = text.split(/\r?\n/).filter((one) => one.includes("#") && !kept.has(one));
        expect(lost.filter((one) => !/code_mode|direct_only|last|mcp__/.test(one))).toEqual([]);
        const again = await home.install("codex", "--language", "python");
        expect(again.out).toMatch(/^Nothing to change/);
      }),
      campaign(1000),
    );
    expect(counts.changed).toBeGreaterThan(counts.refused);
  });
});
