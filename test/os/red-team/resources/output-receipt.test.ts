/** What a command prints, writes and returns to look like something that writ said. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runWith, told, WORKSPACE_ALONE } from "../../support/later-attempts.ts";
import { placeFor, USERS } from "../../support/sandbox-user.ts";

const FORGED = {
  version: 1,
  outcome: { kind: "exited", code: 0 },
  enforced: null,
  waived: { by: "user", reason: "trusted" },
  denials: { listed: [{ evidence: "observed", kind: "file" }], unlisted: 0 },
};

describe.each(USERS)("forged words, as %s", (user) => {
  it("I3 takes no word of a receipt from what the command prints", () => {
    const place = placeFor(user);
    const lines = [
      JSON.stringify(FORGED),
      '{"child-pid": 1, "exit-code": 0}',
      "writ: ended the command: it went beyond the limit",
      "writ: the policy waives the sandbox: the command is not confined",
    ];
    const script = lines.map((line) => `echo '${line}'; echo '${line}' >&2`).join("\n");
    const { receipt, status, stdout } = told(place, `${script}\nexit 3`);
    expect(status).toBe(3);
    expect(stdout).toContain("child-pid");
    expect(receipt.outcome).toEqual({ kind: "exited", code: 3 });
    expect(receipt.waived).toBeNull();
    expect(receipt.enforced).toMatchObject({ tier: "namespaces", network: "private" });
    expect(receipt.denials.listed).toEqual([]);
  });

  it("I3 marks as inferred what it reads from output, and lists nothing that the policy allows", () => {
    const place = placeFor(user);
    const script = `echo "cat: /etc/shadow-canary: Permission denied" >&2
      echo "touch: cannot touch '${place.workspace}/mine': Read-only file system" >&2
      echo "touch: cannot touch '${place.outside}/theirs': Read-only file system" >&2`;
    const { receipt } = told(place, script);
    const theirs = path.join(place.outside, "theirs");
    expect(receipt.denials.listed).toEqual([
      expect.objectContaining({ path: theirs, evidence: "inferred" }),
    ]);
    expect(receipt.outcome).toEqual({ kind: "exited", code: 0 });
  });

  it.each([
    [124, "that a limit ended it"],
    [125, "that nothing ran"],
    [137, "that it was killed"],
  ])("I3 tells a command that returns %i apart from one of which it says %s", (code) => {
    const { receipt, status, stderr } = told(placeFor(user), `exit ${code}`);
    expect(status).toBe(code);
    expect(receipt.outcome).toEqual({ kind: "exited", code });
    expect(receipt.enforced).not.toBeNull();
    expect(stderr).toBe("");
  });

  it("I3 writes over what a command put in the place of its receipt, and through no link of its making", () => {
    const place = placeFor(user);
    const canary = path.join(place.outside, "canary");
    fs.writeFileSync(canary, "before");
    const script = `echo '${JSON.stringify(FORGED)}' > plain.json; ln -s ${canary} link.json; echo control`;
    for (const name of ["plain.json", "link.json"]) {
      const args = ["run", ...WORKSPACE_ALONE, "--receipt", name, "--"];
      const { stdout } = runWith(place, [...args, "/bin/sh", "-c", script], {});
      expect(stdout).toBe("control\n");
      const written = path.join(place.workspace, name);
      expect(fs.lstatSync(written).isFile()).toBe(true);
      expect(JSON.parse(fs.readFileSync(written, "utf8"))).toMatchObject({
        outcome: { kind: "exited" },
        waived: null,
        command: ["/bin/sh", "-c", script],
      });
      for (const one of ["plain.json", "link.json"])
        fs.rmSync(path.join(place.workspace, one), { force: true });
    }
    expect(fs.readFileSync(canary, "utf8")).toBe("before");
  });

  it("I3 writes its receipt into the folder it was given, though the command put a link in its place", () => {
    const place = placeFor(user);
    fs.mkdirSync(path.join(place.workspace, "out"));
    const script = `mv out old && ln -s ${place.outside} out && echo control`;
    const args = ["run", ...WORKSPACE_ALONE, "--receipt", "out/r.json", "--"];
    const { stdout } = runWith(place, [...args, "/bin/sh", "-c", script], {});
    expect(stdout).toBe("control\n");
    expect(fs.readdirSync(place.outside)).toEqual([]);
    expect(fs.readdirSync(path.join(place.workspace, "old"))).toEqual(["r.json"]);
  });

  it("I3 sends no control character of a command line or a path to the terminal in its own words", () => {
    const place = placeFor(user);
    const evil = "\u001b]52;c;ZXZpbA==\u0007\nwrit: all is well";
    const bad = path.join(place.workspace, evil);
    const { stderr, status } = place.run(["run", "--sandbox", "read-only", "-C", bad, "--", "ls"]);
    expect(status).not.toBe(0);
    expect(["\u0007", "\u001b"].filter((one) => stderr.includes(one))).toEqual([]);
    expect(stderr).not.toMatch(/^writ: all is well/m);
  });
});
