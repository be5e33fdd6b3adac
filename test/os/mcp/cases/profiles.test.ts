/** Cases 92 to 100: profiles beyond the plain modes, and the ways around a sandbox. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { listenOnHost } from "../../support/network-listener.ts";
import { USERS } from "../../support/sandbox-user.ts";
import { managed, stateOf, withState } from "./support/call-states.ts";
import { type CaseRepl, type ReplLab, replLab, workspaceWrite } from "./support/repl-lab.ts";

const READ = [":root", "read"] as const;

function reach(port: number): string {
  return `use IO::Socket::INET; print IO::Socket::INET->new(PeerAddr => "127.0.0.1:${port}", Timeout => 5) ? "reached;" : "alone;";`;
}

/** Runs code under a profile in a fresh REPL. */
async function under(
  lab: ReplLab,
  profile: (repl: CaseRepl) => object,
  code: (repl: CaseRepl) => string,
) {
  const repl = await lab.open();
  const meta = withState(stateOf(profile(repl), repl.cwd));
  lab.place.give();
  return { ...repl, heard: await repl.call(code(repl), meta) };
}

describe.each(USERS)("a REPL under a profile (%s)", (user) => {
  const lab = replLab(user);

  it("92: every file open and the network closed is what it says", async () => {
    const { port, heard: visitors } = await listenOnHost();
    const { heard, outside } = await under(
      lab(),
      () => ({ type: "managed", file_system: { type: "unrestricted" }, network: "restricted" }),
      (repl) => `put("${repl.outside}/case-92"); ${reach(port)}`,
    );
    expect(heard).toEqual({ isError: false, text: "wrote;alone;", starts: 1 });
    expect(existsSync(path.join(outside, "case-92"))).toBe(true);
    expect(await visitors()).toEqual([]);
  });

  it("93: read-only with the network open is what it says", async () => {
    const { port, heard: visitors } = await listenOnHost();
    const { heard, cwd } = await under(
      lab(),
      () => managed([READ], "enabled"),
      (repl) => `put("${repl.cwd}/f"); ${reach(port)}`,
    );
    expect(heard).toEqual({ isError: false, text: "denied;reached;", starts: 1 });
    expect(existsSync(path.join(cwd, "f"))).toBe(false);
    expect(await visitors()).toEqual(["tcp"]);
  });

  it("94: an entry of kind unknown with write grants nothing", async () => {
    const { heard, outside } = await under(
      lab(),
      (repl) => withUnknown(repl, "write"),
      (repl) => `put("${repl.cwd}/f"); put("${repl.outside}/case-94")`,
    );
    expect(heard).toEqual({ isError: false, text: "wrote;denied;", starts: 1 });
    expect(existsSync(path.join(outside, "case-94"))).toBe(false);
  });

  it.each(["deny", "read"])(
    "94: refuses an entry of kind unknown with %s, which may be a restriction (stricter than the case)",
    async (access) => {
      const { heard, processes } = await under(
        lab(),
        (repl) => withUnknown(repl, access),
        () => "print 1",
      );
      expect(heard).toMatchObject({ isError: true, starts: 0 });
      expect(processes()).toEqual([]);
    },
  );

  it("97: a denied glob can be neither read nor removed, and other files can be written", async () => {
    const { heard, cwd } = await under(
      lab(),
      (repl) => {
        mkdirSync(path.join(repl.cwd, "deep"));
        for (const file of ["a.env", "deep/b.env"]) {
          writeFileSync(path.join(repl.cwd, file), "secret");
        }
        return managed([READ, [repl.cwd, "write"], [`glob:${repl.cwd}/**/*.env`, "deny"]]);
      },
      ({ cwd }) =>
        `for my $f ("a.env", "deep/b.env") { get("${cwd}/$f"); print unlink("${cwd}/$f") ? "gone;" : "stays;" } put("${cwd}/other")`,
    );
    expect(heard.text).toBe("unreadable;stays;unreadable;stays;wrote;");
    expect(readFileSync(path.join(cwd, "a.env"), "utf8")).toBe("secret");
    expect(readFileSync(path.join(cwd, "deep/b.env"), "utf8")).toBe("secret");
  });

  it("98: of a denied folder only the child that is writable can be used", async () => {
    const { heard, cwd } = await under(
      lab(),
      (repl) => {
        mkdirSync(path.join(repl.cwd, "shut/open"), { recursive: true });
        writeFileSync(path.join(repl.cwd, "shut/secret"), "secret");
        const [shut, open] = ["shut", "shut/open"].map((name) => path.join(repl.cwd, name));
        return managed([READ, [repl.cwd, "write"], [shut ?? "", "deny"], [open ?? "", "write"]]);
      },
      ({ cwd }) => `get("${cwd}/shut/secret"); put("${cwd}/shut/f"); put("${cwd}/shut/open/f")`,
    );
    expect(heard.text).toBe("unreadable;denied;wrote;");
    expect(existsSync(path.join(cwd, "shut/f"))).toBe(false);
    expect(existsSync(path.join(cwd, "shut/open/f"))).toBe(true);
  });

  it("99: legacy Landlock is met by the stronger back-end, and the carve-outs hold", async () => {
    const repl = await lab().open();
    mkdirSync(path.join(repl.cwd, ".git"));
    lab().place.give();
    const carved = managed([
      READ,
      [repl.cwd, "write"],
      [path.join(repl.cwd, ".git"), "read"],
      [path.join(repl.cwd, ".codex"), "read"],
    ]);
    const meta = withState(stateOf(carved, repl.cwd, { useLegacyLandlock: true }));
    const code = `put("${repl.cwd}/f"); put("${repl.cwd}/.git/f"); put("${repl.cwd}/.codex/f"); put("${repl.outside}/case-99")`;
    expect((await repl.call(code, meta)).text).toBe("wrote;denied;denied;denied;");
    expect(existsSync(path.join(repl.cwd, ".git/f"))).toBe(false);
    expect(existsSync(path.join(repl.cwd, ".codex/f"))).toBe(false);
    expect(existsSync(path.join(repl.outside, "case-99"))).toBe(false);
  });
});

/** What turns a sandbox off, here or at others, if a variable could. */
const SWITCHES = Object.fromEntries(
  ["WRIT", "CODEX", "MCP_REPL", "BWRAP"].flatMap((who) => [
    ...["NO_SANDBOX", "DISABLE_SANDBOX", "UNSAFE_ALLOW_NO_SANDBOX", "DISABLE_BWRAP"].map(
      (what) => [`${who}_${what}`, "1"] as const,
    ),
    [`${who}_SANDBOX`, "danger-full-access"],
    [`${who}_USE_BWRAP`, "0"],
    [`${who}_RUN`, "1"],
  ]),
);

describe.each(USERS)(
  "a REPL whose server has every variable that might turn a sandbox off (%s)",
  (user) => {
    const lab = replLab(user, SWITCHES);

    it("100: has a sandbox all the same", async () => {
      const repl = await lab().open();
      const meta = withState(stateOf(workspaceWrite(repl.cwd), repl.cwd));
      const heard = await repl.call(`put("${repl.cwd}/f"); put("${repl.outside}/case-100")`, meta);
      expect(heard).toEqual({ isError: false, text: "wrote;denied;", starts: 1 });
      expect(existsSync(path.join(repl.outside, "case-100"))).toBe(false);
    });
  },
);

/** Workspace-write with one more entry, of a kind that the client itself does not know. */
function withUnknown({ cwd, outside }: CaseRepl, access: string): object {
  const entry = {
    path: { type: "special", value: { kind: "unknown", path: outside } },
    access,
  };
  const profile = JSON.parse(JSON.stringify(workspaceWrite(cwd)));
  profile.file_system.entries.push(entry);
  return profile;
}
