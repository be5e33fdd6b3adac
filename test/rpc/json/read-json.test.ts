import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JSON_LIMITS, JsonError, type JsonLimits, readJson } from "../../../src/rpc/index.ts";
import { campaign } from "../../support/campaign.ts";

const codeOf = (text: string, limits: JsonLimits = JSON_LIMITS): string | undefined => {
  try {
    readJson(text, limits);
    return undefined;
  } catch (error) {
    if (error instanceof JsonError) return error.code;
    throw error;
  }
};

describe("readJson", () => {
  it.each([
    ["a repeated member", '{"a":1,"a":2}'],
    ["a repeated member behind an escape", '{"a":1,"\\u0061":2}'],
    ["a repeated empty name", '{"":1,"":2}'],
    ["a repeated name that ends in a backslash", '{"a\\\\":1,"a\\\\":2}'],
    ["a repeated name with an escaped quote", '{"a\\"b":1,"a\\u0022b":2}'],
    ["a repeated lone surrogate", '{"\\ud800":1,"\\uD800":2}'],
    ["a repetition after a nested object", '{"a":{"a":1},"b":[{"a":1}],"a":2}'],
    ["a repetition deep inside", '[[{"x":[{"k":1,"j":2,"k":3}]}]]'],
  ])("refuses %s", (_, text) => {
    expect(codeOf(text)).toBe("duplicateKey");
  });

  it.each([
    ["equal names in sibling objects", '[{"a":1},{"a":2}]'],
    ["a value that equals its name", '{"a":"a","b":"a"}'],
    ["strings that look like structure", '{"a":"{\\"a\\":1,\\"a\\":2}","b":"]}[{,:"}'],
    ["names that differ only in case", '{"a":1,"A":2}'],
    ["an escaped solidus", '{"a\\/b":1,"ab":2}'],
    ["constructor and toString", '{"constructor":1,"toString":2}'],
  ])("accepts %s", (_, text) => {
    expect(readJson(text, JSON_LIMITS)).toEqual(JSON.parse(text));
  });

  it.each(['{"__proto__":1}', '{"a":[{"\\u005f_proto__":{}}]}'])(
    "refuses the name in %s",
    (text) => {
      expect(codeOf(text)).toBe("forbiddenKey");
    },
  );

  it("names the place of a repeated member", () => {
    const read = () => readJson('{"params":{"items":[0,{"x y":1,"x y":2}]}}', JSON_LIMITS);
    expect(read).toThrow('the member "x y" occurs twice, at $.params.items[1]["x y"]');
  });

  it.each([
    ["", "syntax"],
    ["{", "syntax"],
    ['{"a"', "syntax"],
    ['"\\', "syntax"],
    ["]]]]{}", "syntax"],
    ['{"a":1]', "syntax"],
    ["\ufeff{}", "syntax"],
    ['{"\\x":1}', "syntax"],
  ])("refuses %j as %s", (text, code) => {
    expect(codeOf(text)).toBe(code);
  });

  it("counts containers and scalars, and not names", () => {
    const text = '{"a":[1,"two",null],"b":{}}';
    expect(codeOf(text, { ...JSON_LIMITS, maxValues: 6 })).toBeUndefined();
    expect(codeOf(text, { ...JSON_LIMITS, maxValues: 5 })).toBe("tooManyValues");
  });

  it("takes 262144 values and refuses one more", () => {
    const list = (length: number) => `[${Array(length).fill("0").join(",")}]`;
    expect(codeOf(list(262_143))).toBeUndefined();
    expect(codeOf(list(262_144))).toBe("tooManyValues");
  });

  it("measures depth in containers", () => {
    const limits = { ...JSON_LIMITS, maxDepth: 3 };
    expect(codeOf("[[[1]]]", limits)).toBeUndefined();
    expect(codeOf("[[[[]]]]", limits)).toBe("tooDeep");
    expect(codeOf('{"a":{"b":[{}]}}', limits)).toBe("tooDeep");
  });

  it("refuses a million levels without overflowing the stack", () => {
    const deep = "[".repeat(1_000_000) + "]".repeat(1_000_000);
    expect(codeOf(deep)).toBe("tooDeep");
    const limits = { maxLength: 1e7, maxDepth: 1e7, maxValues: 1e7 };
    expect(codeOf('{"a":'.repeat(1_000_000), limits)).toBe("syntax");
  });

  it("refuses a text over the length before it looks inside", () => {
    expect(codeOf("[1,2]", { ...JSON_LIMITS, maxLength: 4 })).toBe("tooLong");
    expect(codeOf("[1,2]", { ...JSON_LIMITS, maxLength: 5 })).toBeUndefined();
  });

  it("crosses a long string, and a long run of escaped quotes", () => {
    const base64 = "A".repeat(1_000_000);
    expect(readJson(JSON.stringify({ base64 }), JSON_LIMITS)).toEqual({ base64 });
    const quotes = '\\"'.repeat(1_000_000);
    expect(readJson(JSON.stringify([quotes]), JSON_LIMITS)).toEqual([quotes]);
  });

  it("equals JSON.parse on every value it accepts", () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false }), (text) => {
        fc.pre(!text.includes("__proto__"));
        expect(readJson(text, JSON_LIMITS)).toEqual(JSON.parse(text));
      }),
      campaign(5_000),
    );
  });

  it("refuses exactly what JSON.parse refuses or a reference walk finds ambiguous", () => {
    fc.assert(
      fc.property(jsonLike, (text) => {
        expect(codeOf(text) === undefined).toBe(acceptable(text));
      }),
      campaign(20_000),
    );
  });
});

/** Short texts over an alphabet that makes repetitions, escapes and broken structure likely. */
const jsonLike = fc.oneof(
  fc
    .array(
      fc.constantFrom(
        '"a"',
        '"\\u0061"',
        '"b"',
        '"\\\\"',
        '"\\""',
        '"__proto__"',
        ":",
        ",",
        "{",
        "}",
        "[",
        "]",
        "1",
        "-",
        "true",
        " ",
        "\\",
        '"',
      ),
      { maxLength: 14 },
    )
    .map((parts) => parts.join("")),
  fc
    .array(
      fc.tuple(
        fc.constantFrom('"a"', '"\\u0061"', '"b"', '"\\ud800"', '"\\uD800"', '"c\\\\"'),
        fc.json({ maxDepth: 2 }),
      ),
      { maxLength: 5 },
    )
    .map((members) => `{${members.map(([name, value]) => `${name} : ${value}`).join(" ,\n")}}`),
);

/** The slow way: parse, then parse every object again member by member with a reviver-free walk. */
function acceptable(text: string): boolean {
  try {
    JSON.parse(text);
  } catch {
    return false;
  }
  return new ReferenceReader(text).value();
}

/** A recursive reader of valid JSON that only answers whether some object repeats or forbids a name. */
class ReferenceReader {
  readonly #tokens: string[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g) ?? [];
  }

  value(): boolean {
    const token = this.#next();
    if (token === "{") return this.#object();
    return token === "[" ? this.#array() : true;
  }

  #object(): boolean {
    const names = new Set<string>();
    let sound = true;
    for (let token = this.#next(); token !== "}"; token = this.#next()) {
      if (token === ",") continue;
      const name = String(JSON.parse(token));
      sound = sound && !names.has(name) && name !== "__proto__";
      names.add(name);
      this.#next();
      sound = this.value() && sound;
    }
    return sound;
  }

  #array(): boolean {
    let sound = true;
    while (this.#tokens[this.#at] !== "]") {
      if (this.#tokens[this.#at] === ",") this.#at += 1;
      else sound = this.value() && sound;
    }
    this.#at += 1;
    return sound;
  }

  #next(): string {
    const token = this.#tokens[this.#at] ?? "}";
    this.#at += 1;
    return token;
  }
}
