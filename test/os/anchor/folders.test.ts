/** Folders of its own: a home and a tmp that its commands keep, and nobody else sees. */
import { existsSync, statSync, symlinkSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { InheritedVariables, SandboxIntent } from "../../../src/exec/index.ts";
import type { Entry } from "../../../src/policy/index.ts";
import { collected } from "../../exec/contract/support/collected.ts";
import { USERS } from "../support/sandbox-user.ts";
import { type AnchorLab, anchorLab, anchorsAt, namesIn, sh, uri } from "./support/anchor-lab.ts";

describe.each(USERS)("as %s, an anchor", (user) => {
  it("has folders that are open to its user alone", async () => {
    const { anchors } = await anchorLab(user);
    const { home, tmp } = await anchors.open({ anchorId: "a", ids: {} });
    const own = path.dirname(fileURLToPath(home));
    const modes = [path.dirname(own), own, fileURLToPath(home), fileURLToPath(tmp)].map(modeOf);
    expect(modes).toEqual(["700", "700", "700", "700"]);
  });

  it("keeps what its commands write there, and no request can name other folders", async () => {
    const { executor, anchors, request, run } = await anchorLab(user);
    const { home, tmp } = await anchors.open({ anchorId: "a", ids: {} });
    const asked = request("a", sh('echo "$HOME $TMPDIR"; echo kept | tee "$HOME/f" > "$TMPDIR/f"'));
    const env = { PATH: "/usr/bin:/bin", HOME: "/tmp", TMPDIR: "/tmp" };
    const envPolicy: InheritedVariables = {
      inherit: "all",
      ignoreDefaultExcludes: true,
      exclude: ["HOME"],
      set: { HOME: "/tmp", TMPDIR: "/tmp" },
      includeOnly: [],
    };
    const said = await collected(await executor.start({ ...asked, env, envPolicy }));
    expect(said.stdout).toBe(`${fileURLToPath(home)} ${fileURLToPath(tmp)}\n`);
    expect((await run("a", sh('cat "$HOME/f" "$TMPDIR/f"'))).stdout).toBe("kept\nkept\n");
  });

  it("opens them no further than the policy opens temporary files", async () => {
    const { anchors, run } = await anchorLab(user);
    await anchors.open({ anchorId: "a", ids: {} });
    await run("a", sh('echo kept > "$HOME/f"'));
    const script =
      'cat "$HOME/f"; for at in "$HOME" "$TMPDIR"; do touch "$at/new" || echo no; done';
    expect((await run("a", sh(script), "read-only")).stdout).toBe("kept\nno\nno\n");
  });

  it("hides them from other anchors and from commands without one", async () => {
    const { anchors, run } = await anchorLab(user);
    for (const anchorId of ["a", "b"]) await anchors.open({ anchorId, ids: {} });
    const home = fileURLToPath((await anchors.find("a")).home);
    await run("a", sh('echo mine > "$HOME/f"'));
    const script = `cat ${home}/f; ls ${home} ${home}/.. ${home}/../..; touch ${home}/g && echo made`;
    expect((await run("b", sh(script))).stdout).toBe("");
    expect((await run(null, sh(script))).stdout).toBe("");
    expect(namesIn(home)).toEqual(["f"]);
  });

  it("refuses a policy that opens the folders of another, by name or by a link", async () => {
    const lab = await anchorLab(user);
    for (const anchorId of ["a", "b"]) await lab.anchors.open({ anchorId, ids: {} });
    const theirs = fileURLToPath((await lab.anchors.find("b")).home);
    const link = path.join(lab.place.outside, "link");
    symlinkSync(theirs, link);
    for (const target of [theirs, link]) {
      for (const anchor of ["a", null]) {
        const start = lab.executor.start(opening(lab, anchor, target));
        await expect(start).rejects.toMatchObject({ code: "unenforceable" });
      }
    }
  });

  it("shows its own folders where the policy opens the whole disk, and no other", async () => {
    const lab = await anchorLab(user);
    for (const anchorId of ["a", "b"]) await lab.anchors.open({ anchorId, ids: {} });
    const theirs = fileURLToPath((await lab.anchors.find("b")).home);
    const script = `touch ${theirs}/g; touch "$HOME/f" "$TMPDIR/f" && echo made`;
    const asked = { ...opening(lab, "a", "/"), argv: sh(script) };
    expect((await collected(await lab.executor.start(asked))).stdout).toBe("made\n");
    expect(namesIn(theirs)).toEqual([]);
  });

  it("takes what nobody may enter, and what is nested deeper than any path, along when it is closed", async () => {
    const { anchors, run, place } = await anchorLab(user);
    await anchors.open({ anchorId: "a", ids: {} });
    const closed = "mkdir -p x/y; touch x/y/f; chmod 0 x/y x; ln -s / root; ln -s nowhere gone";
    const deep = 'mkdir("dddddddd"), chdir("dddddddd") for 1 .. 1500; open(my $end, ">", "end")';
    await run("a", sh(`cd "$HOME"; ${closed}; cd "$TMPDIR"; perl -e '${deep}'`));
    expect(await anchors.close("a")).toBe(true);
    expect(namesIn(anchorsAt(place))).toEqual([]);
    expect(existsSync("/usr")).toBe(true);
  });
});

function modeOf(folder: string): string {
  return (statSync(folder).mode & 0o777).toString(8);
}

/** A command under a policy that also lets it write to one more place. */
function opening({ request }: AnchorLab, anchor: string | null, place: string) {
  const asked = request(anchor, sh("true"));
  if (asked.sandbox.kind !== "enforce") throw new Error("there is an intent");
  const { context } = asked.sandbox;
  const { profile } = context;
  if (profile.type !== "managed" || profile.fileSystem.type !== "restricted") {
    throw new Error("it has rules");
  }
  const more: Entry = { target: { type: "path", path: uri(place) }, access: "write" };
  const entries = [...profile.fileSystem.entries, more];
  const wider = { ...profile, fileSystem: { ...profile.fileSystem, entries } };
  const sandbox: SandboxIntent = { kind: "enforce", context: { ...context, profile: wider } };
  return { ...asked, sandbox };
}
