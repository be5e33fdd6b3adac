import fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, it, vi } from "vitest";
import {
  parseAbsolutePath as at,
  type BoundProfile,
  namedProfile,
  readProfileTable,
} from "../../../src/policy/index.ts";
import { Denials } from "../../../src/sandbox/receipt/denial.ts";
import { createDenialScan, MAX_DENIALS } from "../../../src/sandbox/receipt/denial-scan.ts";
import { MAX_LINE } from "../../../src/sandbox/receipt/output-lines.ts";
import { quotedTexts } from "../../../src/sandbox/receipt/quoted-text.ts";
import { boundWith } from "../../policy/support/profiles.ts";
import { campaign } from "../../support/campaign.ts";
import { ERROR_LINES } from "./error-lines.ts";

vi.setConfig({ testTimeout: 60_000 });

const profile = boundWith([
  [":root", "read"],
  [":workspace_roots", "write"],
  ["/srv/hid", "deny"],
  ["glob:/r/**/*.env", "deny"],
]);

function scanned(chunks: readonly (string | Uint8Array)[], bound: BoundProfile = profile): Denials {
  const scan = createDenialScan({ cwd: at("/r"), profile: bound, ceiling: undefined });
  for (const chunk of chunks) {
    scan.feed(typeof chunk === "string" ? Buffer.from(chunk) : chunk, "stderr");
  }
  return scan.finish();
}

const touch = (path: string) => `touch: cannot touch '${path}': Read-only file system\n`;

describe("createDenialScan", () => {
  it("says the rule, the reason and the least change, and that it is inferred", () => {
    expect(scanned([touch("/r/.git/config")]).listed).toEqual([
      {
        kind: "file",
        path: "/r/.git/config",
        wanted: "write",
        evidence: "inferred",
        stream: "stderr",
        line: "touch: cannot touch '/r/.git/config': Read-only file system",
        rule: 'protected name ".git"',
        reason: expect.stringContaining('"/r" is writable'),
        change: {
          kind: "add",
          table: "filesystem",
          lines: ['"/r/.git/config" = "write"'],
          note: expect.stringContaining("hooks"),
        },
      },
    ]);
  });

  it.each([
    ["a path that may be written", touch("/r/src/a")],
    ["a relative one", touch("src/../a")],
    ["a readable path that somebody else owns", "cat: /etc/shadow: Permission denied\n"],
    ["a missing path that is not hidden", "cat: /etc/none: No such file or directory\n"],
    ["a write to a missing folder", "touch: cannot touch '/x/y': No such file or directory\n"],
    ["the command's own devices", touch("/dev/x") + touch("/proc/self/x")],
    ["no path at all", "Permission denied\nerror: Read-only file system\n"],
    ["a login", "git@example.com: Permission denied (publickey).\n"],
    ["other things that cannot be resolved", "npm error Could not resolve dependency:\n"],
    ["other things that cannot be reached", "error: failed to connect to the bus\n"],
    ["a receipt of its own making", 'denied   1\n  write /etc/passwd: ":root" = "read"\n'],
    ["a path with NUL", touch("/etc/\0x")],
    ["half a character", "OSError: [Errno 30] Read-only file system: '/etc/\\ud800'\n"],
  ])("reports nothing for %s", (_, text) => {
    expect(scanned([text])).toEqual({ looked: true, listed: [], unlisted: 0 });
  });

  it("takes what is hidden for denied also when it looks missing", () => {
    const [denial] = scanned(["cat: /srv/hid/x: No such file or directory\n"]).listed;
    expect(denial).toMatchObject({ wanted: "read", path: "/srv/hid/x" });
  });

  it("reports a path once, as a write when both were wanted", () => {
    const text = `cat: /srv/hid: Permission denied\n${touch("/srv/hid").repeat(3)}`;
    expect(scanned([text]).listed.map((one) => one.kind === "file" && one.wanted)).toEqual([
      "write",
    ]);
  });

  it("reads a line in whatever pieces it comes, without a last newline, through colours", () => {
    const text = touch("/etc/a").trimEnd().replace(/'.*'/, "\u001b[1m$&\u001b[0m");
    const bytes = [...Buffer.from(text)].map((byte) => Uint8Array.of(byte));
    expect(scanned(bytes).listed).toEqual(scanned([text]).listed);
    expect(scanned([text]).listed).toHaveLength(1);
  });

  it("takes a carriage return for the end of a line", () => {
    const text = `50%\r${touch("/etc/a").trimEnd()}\r${touch("/etc/b")}`;
    expect(scanned([text]).listed.map((one) => one.kind === "file" && one.path)).toEqual([
      "/etc/a",
      "/etc/b",
    ]);
  });

  it("keeps the two streams apart", () => {
    const scan = createDenialScan({ cwd: at("/r"), profile, ceiling: undefined });
    scan.feed(Buffer.from("touch: cannot touch '/etc"), "stdout");
    scan.feed(Buffer.from(touch("/etc/b")), "stderr");
    scan.feed(Buffer.from("/a': Read-only file system"), "stdout");
    expect(scan.finish().listed.map(({ stream, line }) => [stream, line.slice(21, 27)])).toEqual([
      ["stderr", "/etc/b"],
      ["stdout", "/etc/a"],
    ]);
  });

  it("shows no control character of the line", () => {
    const [denial] = scanned([`\u001b]52;c;x\u0007\u202e${touch("/etc/a")}`]).listed;
    expect(denial?.line).toMatch(/^\\u\{1b\}\]52;c;x\\u\{7\}\\u\{202e\}touch/);
  });

  it("asks the network and socket rules before it believes a line", () => {
    const text = "curl: (6) Could not resolve host: a.io\nError: connect EPERM /run/x\n";
    const changes = scanned([text]).listed.map(({ change }) => "lines" in change && change.lines);
    expect(changes).toEqual([
      ["enabled = true", 'domains."a.io" = "allow"'],
      ['unix_socket_access = "host"'],
    ]);
    const open: BoundProfile = { ...profile, network: { kind: "enabled" }, unixSockets: "host" };
    expect(scanned([text], open).listed).toEqual([]);
  });
});

describe("a change to the network", () => {
  /** The profile that lines of a `network` table make, read the way a file is read. */
  function profileOf(text: string, bound: BoundProfile = profile) {
    const lines = scanned([text], bound).listed.flatMap(({ change }) =>
      change.kind === "add" ? change.lines : [],
    );
    const table = readProfileTable({ network: parse(lines.join("\n")) }, "permissions.p");
    return namedProfile("p", { tables: new Map([["p", table]]), home: "/" }).profile;
  }

  it("opens the host that was named and no other", () => {
    expect(profileOf("curl: (6) Could not resolve host: A.io\n")).toMatchObject({
      network: { kind: "ruled", rules: { domains: { "a.io": "allow" }, unixSockets: {} } },
    });
  });

  it("opens everything only where no host was named, and says so", () => {
    const text = "OSError: [Errno 101] Network is unreachable\n";
    expect(profileOf(text)).toMatchObject({ network: { kind: "enabled" } });
    expect(scanned([text]).listed[0]?.change).toMatchObject({
      note: expect.stringContaining("whole network"),
    });
  });

  it("opens sockets of the host only where one was to be reached", () => {
    const listen = "Error: listen EPERM: operation not permitted /tmp/x\n";
    expect(profileOf(listen)).toMatchObject({ unixSockets: "private" });
    expect(profileOf("Error: connect EPERM /run/x\n")).toMatchObject({ unixSockets: "host" });
    expect(profileOf(listen, { ...profile, unixSockets: "private" })).toMatchObject({
      unixSockets: "host",
    });
    // There "private" is as strict as "none".
    const online = { ...profile, network: { kind: "enabled" } } as const;
    expect(profileOf(listen, online)).toMatchObject({ unixSockets: "host" });
  });
});

describe("a hostile command", () => {
  it("fills the list once and is counted from there", () => {
    const lines = Array.from({ length: 5000 }, (_, index) => touch(`/etc/${index}`));
    const { listed, unlisted } = scanned(lines);
    expect(listed).toHaveLength(MAX_DENIALS);
    expect(unlisted).toBe(5000 - MAX_DENIALS);
  });

  it("cannot make the policy be asked for ever", () => {
    const asked = vi.fn();
    const counted: BoundProfile = new Proxy(profile, {
      get(target, name) {
        if (name === "files") asked();
        return Reflect.get(target, name);
      },
    });
    const lines = Array.from({ length: 5000 }, (_, index) => touch(`/r/${index}`));
    const { listed, unlisted } = scanned(lines, counted);
    expect(listed).toEqual([]);
    expect(unlisted).toBeGreaterThan(4000);
    expect(asked.mock.calls.length).toBeLessThan(5000);
  });

  it("is not read on a line without an end, and is read again after it", () => {
    const endless = Array.from({ length: 64 }, () => "x".repeat(1024));
    const { listed } = scanned([...endless, touch("/etc/a"), touch("/etc/b")]);
    expect(listed.map((one) => one.kind === "file" && one.path)).toEqual(["/etc/b"]);
  });

  it("is not read by the beginning of a line that is too long", () => {
    expect(scanned([touch("/etc/a").trimEnd(), "x".repeat(MAX_LINE), "\n"]).listed).toEqual([]);
  });

  it("cannot make an open quote be looked for again and again", () => {
    const looks = vi.spyOn(String.prototype, "indexOf");
    try {
      expect(quotedTexts(" ‘a".repeat(1000), "shell")).toEqual([]);
      expect(looks.mock.calls.length).toBeLessThan(5);
    } finally {
      looks.mockRestore();
    }
  });

  it("is read up to the longest line and not beyond", () => {
    const fill = MAX_LINE - touch("/etc/").length + 1;
    expect(scanned([touch(`/etc/${"x".repeat(fill)}`)]).listed).toHaveLength(1);
    expect(scanned([touch(`/etc/${"x".repeat(fill + 1)}`)]).listed).toHaveLength(0);
  });

  const phrase = fc.constantFrom(
    ...[": Read-only file system", ": Permission denied", ": Operation not permitted", "'", '"'],
    ...["‘", "’", "`", "$'", "\\", "\\377", "\\u{110000}", " -> ", " to ", ": ", ", open '"],
    ...["/srv/hid", "/etc/a", "../..", "\n", "\r", "\0", "failed to open ", "[Errno 13] "],
    ...["Could not resolve host: ", "Network is unreachable", "connect EPERM /", "x".repeat(900)],
  );
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.array(phrase, { maxLength: 12 }).map((words) => Buffer.from(words.join(""))),
    fc.constantFrom(...ERROR_LINES).map(({ text }) => Buffer.from(`${text}\n`)),
  );

  it("cannot make the scan throw, nor say what the schema has no words for", () => {
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 12 }), (chunks) => {
        const denials = scanned(chunks);
        expect(Denials.parse(denials)).toEqual(denials);
        for (const { line } of denials.listed) expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }),
      campaign(10_000),
    );
  });

  it("gets the same answer however its output is cut", () => {
    fc.assert(
      fc.property(bytes, fc.nat(400), (chunk, cut) => {
        expect(scanned([chunk.subarray(0, cut), chunk.subarray(cut)])).toEqual(scanned([chunk]));
      }),
      campaign(3000),
    );
  });
});
