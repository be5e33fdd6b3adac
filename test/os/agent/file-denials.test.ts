/** What is said of a file that is closed: by which rule, and what would open it. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { agentsAt, EVERYWHERE } from "./support/agent-lab.ts";
import { callLab, denying, openOnly, output } from "./support/call-lab.ts";

describe.each(EVERYWHERE)("tools for files that are closed (%s)", (where) => {
  const agentLab = agentsAt(where);

  it("read nothing that the policy denies, and name the rule", async () => {
    const { tool, at, workspace } = await callLab(agentLab);
    writeFileSync(at("secret"), "canary");
    const { profile } = denying(workspace, "secret");
    for (const [name, input] of [
      ["read_file", { path: "secret" }],
      ["view_image", { path: "secret" }],
      ["edit_file", { path: "secret", edits: [{ old_text: "canary", new_text: "x" }] }],
      ["apply_patch", { input: "*** Begin Patch\n*** Delete File: secret\n*** End Patch" }],
    ] as const) {
      const item = await tool(name, input, { profile });
      expect(item.type).toBe(
        name === "read_file" || name === "view_image" ? "toolCall" : "refusedCall",
      );
      expect(output(item)).toMatch(/Cannot read ".*secret": the policy denies it \(rule: .*secret/);
      if (item.type === "toolCall") expect(item).toMatchObject({ receiptId: expect.any(String) });
    }
    expect(readFileSync(at("secret"), "utf8")).toBe("canary");
  });

  it("name what opens a file for the change where it may not even be read", async () => {
    const { tool, at, workspace } = await callLab(agentLab);
    mkdirSync(at("secret"));
    const { profile } = denying(workspace, "secret");
    const item = await tool("write_file", { path: "secret/n", content: "x" }, { profile });
    expect(item.type).toBe("refusedCall");
    const line = `What would open it: "${at("secret/n")}" = "write"`;
    expect(output(item)).toMatch(/^Cannot read .*expected a path that it opens for writing/);
    expect(output(item)).toContain(line);
  });

  it("name the rule of the place that a link leads to", async () => {
    const { tool, at, workspace } = await callLab(agentLab, { frame: { approval: "never" } });
    for (const name of ["secret", ".git"]) mkdirSync(at(name));
    symlinkSync("secret", at("to-secret"));
    symlinkSync(".git", at("to-git"));
    symlinkSync("secret/inner", at("to-unseen"));
    writeFileSync(at("secret/k"), "canary");
    const { profile } = denying(workspace, "secret");
    const read = output(await tool("read_file", { path: "to-secret/k" }, { profile }));
    expect(read).toContain(`it leads to "${at("secret/k")}", and the policy denies it (rule: `);
    expect(read).toContain(`What would open it: "${at("secret/k")}" = "read"`);
    const written = await tool("write_file", { path: "to-git/f", content: "x" }, { profile });
    expect(written).toMatchObject({
      denial: expect.stringMatching(
        /it leads to ".*\.git\/f", .*\(rule: ":workspace_roots\/\.git" = "read"\)/,
      ),
    });
    const unseen = output(await tool("read_file", { path: "to-unseen" }, { profile }));
    expect(unseen).toMatch(/no rule for this path is in the way, but .*what a link leads to/);
  });

  it("say of what no policy opens that no rule is in the way, and of a folder to start in which is", async () => {
    const { tool, at, workspace } = await callLab(agentLab);
    for (const [name, closed] of [
      ["read_file", "/proc/1/environ"],
      ["list_dir", "/dev"],
    ] as const) {
      const told = output(await tool(name, { path: closed }));
      expect(told).toMatch(/no rule for this path is in the way.*, expected another path$/);
    }
    mkdirSync(at("secret"));
    const { profile } = denying(workspace, "secret");
    const item = await tool("exec_command", { cmd: "pwd", workdir: "secret" }, { profile });
    expect(output(item)).toMatch(
      /Cannot start in .* \(rule: .*"deny"\)\. What would open it: .*read/,
    );
  });

  it("say of what a policy does not open that it may be hidden, by which rule, and what would open it", async () => {
    const { tool, at, workspace, outside } = await callLab(agentLab);
    const hidden = `${outside}/hidden`;
    writeFileSync(hidden, "canary");
    const profile = openOnly(workspace);
    const note = `It may be there all the same, hidden by the policy (rule: no entry). What would open it: "${hidden}" = "read"`;
    for (const name of ["read_file", "list_dir", "view_image"]) {
      const item = await tool(name, { path: hidden }, { profile });
      expect(item).toMatchObject({ type: "toolCall", denial: expect.stringContaining(note) });
      expect(output(item)).toContain(note);
    }
    const edits = [{ old_text: "canary", new_text: "x" }];
    const edited = await tool("edit_file", { path: hidden, edits }, { profile });
    expect(output(edited)).toContain(note.replace('"read"', '"write"'));
    const input = `*** Begin Patch\n*** Delete File: ${hidden}\n*** End Patch`;
    const patched = await tool("apply_patch", { input }, { profile });
    expect(output(patched)).toContain(note.replace('"read"', '"write"'));
    for (const path of [at("nothing"), "/usr/nothing"]) {
      const item = await tool("read_file", { path }, { profile });
      expect(item).toMatchObject({ status: "failed", denial: null });
    }
  });

  it("never take what is hidden for nothing when a person lets a change out", async () => {
    const { tool, workspace, outside } = await callLab(agentLab, { answers: ["accept"] });
    const hidden = `${outside}/hidden`;
    writeFileSync(hidden, "canary");
    const profile = openOnly(workspace);
    const item = await tool("write_file", { path: hidden, content: "x" }, { profile });
    expect(output(item)).toContain(
      "it was changed meanwhile, or hidden before, expected none there",
    );
    expect(readFileSync(hidden, "utf8")).toBe("canary");
  });

  it("search beside what the policy denies, and say so", async () => {
    const { tool, at, workspace } = await callLab(agentLab);
    mkdirSync(at("secret"));
    writeFileSync(at("secret/a.txt"), "canary");
    writeFileSync(at("open.txt"), "canary\n");
    const { profile } = denying(workspace, "secret");
    const search = async (pattern: string, name?: string) =>
      output(await tool("grep", { pattern, ...(name && { path: name }) }, { profile }));
    const unread = `[not read: ${at("secret")}]`;
    expect(await search("canary")).toBe(`${at("open.txt")}:1:canary\n${unread}`);
    expect(await search("none")).toBe(`Nothing was found.\n${unread}`);
    expect(await search("canary", "secret")).toMatch(
      /^Cannot read ".*secret": the policy denies it \(rule: .*secret.*What would open it: /,
    );
    expect(await search("(")).toMatch(/^Cannot call "grep": the pattern is not valid/);
  });
});
