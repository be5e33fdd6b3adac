/** What processes know of the one that started them: environment, arguments, descriptors, keys. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runWith } from "../../support/later-attempts.ts";
import { inOneRun, onceFor } from "../../support/one-run.ts";
import { flagsOf, MODES, type Mode } from "../../support/sandbox-modes.ts";
import { placeFor, USERS } from "../../support/sandbox-user.ts";
import { runWithOpen } from "../../support/secret-descriptors.ts";

const CANARY = "environment-canary";
const SECRETS = {
  AWS_SECRET_ACCESS_KEY: CANARY,
  GITHUB_TOKEN: CANARY,
  SSH_AUTH_SOCK: `/tmp/${CANARY}`,
  DBUS_SESSION_BUS_ADDRESS: `unix:path=/tmp/${CANARY}`,
  npm_config__authToken: CANARY,
  BASH_ENV: `/tmp/${CANARY}`,
  ENV: `/tmp/${CANARY}`,
  PERL5LIB: `/tmp/${CANARY}`,
  PYTHONPATH: `/tmp/${CANARY}`,
  GIT_SSH_COMMAND: CANARY,
  HTTPS_PROXY: `http://user:${CANARY}@127.0.0.1:9`,
  XDG_RUNTIME_DIR: `/tmp/${CANARY}`,
};

/** What a shell may be told, and what it sets itself. */
const KNOWN = [
  ...["HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ"],
  ...["USER", "PWD", "OLDPWD", "SHLVL", "_", "CODEX_SANDBOX_NETWORK_DISABLED"],
];

/** Numbers of keyctl, add_key and request_key. */
const KEYS = process.arch === "arm64" ? [219, 217, 218] : [250, 248, 249];

const VARIABLES = `env; tr '\\0' '\\n' < /proc/self/environ
  for p in /proc/[0-9]*; do cat $p/environ $p/cmdline $p/auxv 2>/dev/null | tr '\\0' '\\n' | grep -a canary | grep -av 'grep -a'; done
  cat /proc/1/environ /proc/1/cmdline /proc/1/maps 2>&1 >/dev/null | grep -c denied; exit 0`;

const ARGUMENTS = `cat /proc/[0-9]*/cmdline | tr '\\0' ' '; ls -d /proc/[0-9]* | wc -l`;

const [KEYCTL, ADD_KEY, REQUEST_KEY] = KEYS;
const KEYRING = `use Errno;
  sub tried { my ($name, @call) = @_; my $r = syscall(shift @call, @call); print "$name ", $r < 0 ? ($!{EPERM} ? "EPERM" : "other") : "worked", "\\n" }
  my ($type, $name, $text) = ("user", "writ-key", "x");
  tried("session", ${KEYCTL}, 0, -3, 1); tried("join", ${KEYCTL}, 1, 0); tried("user", ${KEYCTL}, 0, -4, 1);
  tried("add", ${ADD_KEY}, $type, $name, $text, 1, -3); tried("request", ${REQUEST_KEY}, $type, $name, 0, -3);
  tried("pid", ${process.arch === "arm64" ? 172 : 39});`;

/** All that is asked in a mode by a command whose caller has secrets in its environment. */
const asked = onceFor((place, mode: Mode) => {
  const flags = flagsOf(mode, place);
  return inOneRun((command) => runWith(place, ["run", ...flags, "--", ...command], SECRETS), {
    variables: VARIABLES,
    arguments: ARGUMENTS,
    keys: ["/usr/bin/perl", "-e", KEYRING],
    listed: "cat /proc/keys /proc/key-users 2>/dev/null | wc -c",
  });
});

const range = (count: number) => Array.from({ length: count }, (_, index) => index + 3);

describe.each(USERS)("what processes tell, as %s", (user) => {
  it.each(MODES)(
    "C7 C8 passes on no variable but the known ones, nor lets another process tell, in %s",
    (mode) => {
      const { stdout } = asked(user, mode).variables;
      expect(stdout).not.toContain(CANARY);
      expect(stdout).not.toContain("WRIT_HOME");
      const names = stdout.match(/^[A-Za-z_]\w*(?==)/gm) ?? [];
      expect(names.filter((name) => !KNOWN.includes(name))).toEqual([]);
      expect(names).toContain("PATH");
      expect(stdout.trimEnd().split("\n").at(-1)).toBe("3");
    },
  );

  it("C7 passes on no more to a command with a terminal", () => {
    const place = placeFor(user);
    const args = ["run", "--sandbox", "workspace-write", "--tty", "--", "/usr/bin/env"];
    const { stdout } = runWith(place, args, SECRETS);
    expect(stdout).toContain("PATH=");
    expect(stdout).not.toContain("canary");
  });

  it("C8 shows the command no argument of writ, its launcher or another run", () => {
    const { stdout } = asked(user, "read-only").arguments;
    expect(stdout).not.toMatch(/bwrap|--ro-bind|writ run|dist\/bin|vitest/);
    expect(stdout).toContain("/proc/[0-9]*/cmdline");
  });

  it.each([
    ["20", "pipes", range(20)],
    ["251", "pipes", range(251)],
    ["scattered", "pipes", [20, 100, 251]],
    ["20", "a terminal", range(20)],
    ["251", "a terminal", range(251)],
    ["scattered", "a terminal", [20, 100, 251]],
  ])(
    "C9 hands on none of %s open descriptors to a command with %s",
    async (_, streams, numbers) => {
      const place = placeFor(user);
      const flags = ["--sandbox", "read-only", ...(streams === "pipes" ? [] : ["--tty"])];
      const script = `for f in /proc/self/fd/*; do
        to=$(readlink $f); n=\${f##*/}; [ $n -gt 2 ] && echo "open $n $to"
        [ -f $f ] && cat $f && echo pwned > $f
      done 2>/dev/null; echo control`;
      const found = await runWithOpen(place, numbers, { script, flags });
      const open = [...found.matchAll(/^open \d+ (.*?)\r?$/gm)].map(([, to]) => to);
      expect(found).toContain("control");
      expect(found).not.toContain("descriptor-canary");
      const harmless = /^\/dev\/(null|tty|pts\/\d+)$|^\/proc\/|^$/;
      expect(open.filter((to) => !harmless.test(to ?? ""))).toEqual([]);
      const secret = path.join(place.outside, "descriptor-canary");
      expect(fs.readFileSync(secret, "utf8")).toBe("descriptor-canary");
    },
  );

  it.each(MODES)("C11 reaches no key of the caller's session in %s", (mode) => {
    const { keys, listed } = asked(user, mode);
    expect(keys.stdout.split("\n")).toEqual([
      ...["session", "join", "user", "add", "request"].map((name) => `${name} EPERM`),
      "pid worked",
      "",
    ]);
    expect(listed.stdout).toBe("0\n");
  });
});
