import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SecretStream } from "../../../src/cli/chat/text/secret-stream.ts";
import { REDACTED, redact, secretsIn } from "../../../src/cli/chat/text/secrets.ts";
import { MARKS, shownLine, shownText } from "../../../src/cli/chat/text/shown-text.ts";

function through(pieces: readonly string[], secrets: readonly string[]): string {
  const stream = new SecretStream(secrets);
  return pieces.map((piece) => stream.write(piece)).join("") + stream.end();
}

describe("secretsIn", () => {
  it("takes values of variables that are named like secrets", () => {
    const env = {
      OPENAI_API_KEY: "abcdef1",
      DB_PASSWORD: "correct horse",
      githubToken: "abcdef2",
      AWS_SECRET_ACCESS_KEY: "abcdef3",
    };
    expect([...secretsIn(env)].sort()).toEqual(["abcdef1", "abcdef2", "abcdef3", "correct horse"]);
  });

  it("leaves places, short words and everything else", () => {
    const env = {
      SSH_AUTH_SOCK: "/tmp/agent.1",
      TOKEN_FILE: "/etc/token",
      MY_TOKEN: "true",
      PATH: "/usr/bin",
      EMPTY_KEY: "",
      GONE_KEY: undefined,
    };
    expect(secretsIn(env)).toEqual([]);
  });

  it.each([
    ["a newline at its end", "hunter2000\n", "Bearer hunter2000 end\n"],
    ["white space around it", "\t hunter2000 \r\n", "<hunter2000>\n"],
    ["lines of Windows", "correct\r\nhunter2000", "correct\r\nhunter2000\n"],
    ["a colour around it", "\u001b[31mhunter2000\u001b[0m", "plain hunter2000\n"],
    ["what a terminal obeys", "hunter\u00072000", "hunter\u00072000\n"],
  ])("takes one with %s, so that it is not shown", (_, value, printed) => {
    const secrets = secretsIn({ MY_TOKEN: value });
    const shown = shownText(printed, MARKS.output, secrets);
    expect(shown).toContain(REDACTED);
    expect(shown).not.toContain("2000");
    expect(shownLine(printed, secrets)).not.toContain("2000");
  });

  it("leaves one that is short without what is around it", () => {
    const env = { A_TOKEN: " true \n\n\n", B_TOKEN: "\u001b[31mon\u001b[0m" };
    expect(shownText("true on", MARKS.output, secretsIn(env))).toBe("| true on\n");
  });
});

describe("redact", () => {
  it.each([
    `sk-${"a".repeat(20)}`,
    `sk-proj-${"aB3_".repeat(10)}`,
    `ghp_${"a1".repeat(18)}`,
    `github_pat_${"a1_".repeat(10)}`,
    `glpat-${"a".repeat(20)}`,
    "xoxb-123456789012-abcdef",
    `npm_${"a".repeat(36)}`,
    "AKIAIOSFODNN7EXAMPLE",
    `AIza${"b".repeat(35)}`,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
  ])("takes out %s wherever it stands (H7)", (token) => {
    expect(redact(`x=${token};`, [])).toBe("x=[redacted];");
    expect(through([..."a ", ...token, ..." b"], [])).toBe("a [redacted] b");
  });

  it("takes the password out of an address and leaves the rest", () => {
    expect(redact("postgres://me:pw@db.example/x", [])).toBe(
      "postgres://me:[redacted]@db.example/x",
    );
  });

  it.each(["$(id)", "`id`", "a;id", "a|id", "a&id", "a>b", "a<b", "$" + "{IFS}", "'a'", "(id)"])(
    "shows what a shell would run in the place of a password: %s",
    (text) => expect(redact(`https://me:${text}@example.com`, [])).toContain(text),
  );

  it.each(["task-list", "sk-learn", "the key is under the mat", "ghp_short", "https://a/b@c"])(
    "leaves %s",
    (text) => expect(redact(text, [])).toBe(text),
  );
});

describe.each([
  ["one word", "x"],
  ["what may be the beginning of a token at every place", "-eyJ"],
  ["one address", "a://b:"],
  ["spaces", " "],
])("a mebibyte of %s", (_, piece) => {
  const text = piece.repeat((1 << 20) / piece.length);

  it.each(["", " ", "\n"])("is shown before anybody gives up waiting, with %j behind it", (end) => {
    expect(shownText(text + end, MARKS.output, []).length).toBeGreaterThan(text.length);
  });
});

describe("SecretStream", () => {
  const secrets = ["correct horse\nbattery", "correct horse", "hunter2000"];

  it("finds a secret however it is cut (H7)", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...secrets, " ", "x", "correct", "\n", "horse", "hunter")),
        fc.array(fc.nat(60)),
        (parts, cuts) => {
          const text = parts.join("");
          const places = [0, ...cuts.sort((a, b) => a - b), text.length];
          const pieces = places.map((place, index) => text.slice(place, places[index + 1]));
          const shown = through(pieces, secrets);
          for (const secret of secrets) expect(shown).not.toContain(secret);
        },
      ),
    );
  });

  it("shows words as soon as they are whole", () => {
    const stream = new SecretStream(secrets);
    expect(stream.write("one two")).toBe("one ");
    expect(stream.write(" three\n")).toBe("two three\n");
    expect(stream.end()).toBe("");
  });

  it("takes out a private key, and nothing behind it", () => {
    const key =
      "-----BEGIN RSA PRIVATE KEY-----\nMIIEabc+/\nQUJD==\n-----END RSA PRIVATE KEY-----\n";
    const shown = through([...`${key}plain words`], []);
    expect(shown).not.toMatch(/MIIE|QUJD/);
    expect(shown).toContain("-----END RSA PRIVATE KEY-----\nplain words");
  });

  it("hides the rest of a secret that is longer than what is held", () => {
    const token = `sk-${"a".repeat(100_000)}`;
    const pieces = [...(token.match(/.{1,1000}/g) ?? []), " end"];
    expect(through(pieces, [])).toBe("[redacted] end");
  });

  it("does not hold an endless word for ever", () => {
    const stream = new SecretStream([]);
    expect(stream.write("b".repeat(9000))).toBe("b".repeat(9000));
  });

  it("sees a secret that colours were put into", () => {
    const shown = shownText("hunt\u001b[31mer2000 x", MARKS.output, ["hunter2000"]);
    expect(shown).toBe("| [redacted] x\n");
  });
});
