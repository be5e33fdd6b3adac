/** What the tools for files of a thread really do to the disk. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { describe, expect, it } from "vitest";
import type { TurnEvent } from "../../../src/agent/index.ts";
import { profileIn } from "../../agent/support/turn-lab.ts";
import { agentsAt, EVERYWHERE } from "./support/agent-lab.ts";
import { callLab, output } from "./support/call-lab.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describe.each(EVERYWHERE)("tools for files (%s)", (where) => {
  const agentLab = agentsAt(where);

  it("read, list and search what the policy opens", async () => {
    const { tool, at, workspace } = await callLab(agentLab, { mode: "read-only" });
    mkdirSync(at("sub"));
    writeFileSync(at("a.txt"), "one\ntwo\nthree\n");
    expect(await tool("read_file", { path: "a.txt", offset: 2, limit: 1 })).toMatchObject({
      ...{ type: "toolCall", status: "completed", receiptId: expect.stringMatching(/./) },
      call: { output: "[lines 2 to 2 of 3]\ntwo\n" },
    });
    const listed = await tool("list_dir", {});
    expect(output(listed)).toBe("a.txt\nsub/");
    expect(listed).toMatchObject({ receiptId: expect.stringMatching(/./) });
    const found = await tool("grep", { pattern: "t[wh]", path: "a.txt" });
    expect(output(found)).toBe(`${workspace}/a.txt:2:two\n${workspace}/a.txt:3:three`);
    expect(found).toMatchObject({ receiptId: expect.stringMatching(/./) });
    expect(await tool("read_file", { path: "none" })).toMatchObject({
      ...{ status: "failed", denial: null, receiptId: expect.stringMatching(/./) },
      call: { output: expect.stringContaining('Cannot call "read_file"') },
    });
  });

  it("end a search that has found enough, and still name its receipt", async () => {
    const { tool, at } = await callLab(agentLab, { mode: "read-only" });
    // More than is read of a pipe at once: what is behind the last match is never taken.
    writeFileSync(at("long.txt"), "match\n".repeat(500_000));
    const found = await tool("grep", { pattern: "match", path: "long.txt" });
    expect(found).toMatchObject({ status: "completed", receiptId: expect.stringMatching(/./) });
    expect(output(found)).toContain("long.txt:100:match");
    expect(output(found)).not.toContain("long.txt:101:match");
  });

  it("show a picture to the model, and nothing else for one", async () => {
    const { tool, at } = await callLab(agentLab, { mode: "read-only" });
    writeFileSync(at("dot.png"), PNG);
    writeFileSync(at("a.txt"), "text");
    expect(await tool("view_image", { path: "dot.png" })).toMatchObject({
      image: { mimeType: "image/png", base64: PNG.toString("base64") },
      receiptId: expect.stringMatching(/./),
    });
    const wide = Buffer.from(PNG);
    wide.writeUInt32BE(8001, 16);
    for (const [name, content, why] of [
      ["a.txt", "text", "it is no whole png"],
      ["text.png", "text", "it is no whole png"],
      ["half.png", PNG.subarray(0, 40), "it is no whole png"],
      ["wide.png", wide, "it has 8001 x 1 pixels, expected at most 8000 on a side"],
      ["large.png", Buffer.concat([PNG], 3_932_161), "3932161 bytes, expected at most 3932160"],
    ] as const) {
      writeFileSync(at(name), content);
      const item = await tool("view_image", { path: name });
      expect(item).toMatchObject({ status: "failed", image: null, receiptId: expect.any(String) });
      expect(output(item)).toContain(why);
    }
    writeFileSync(at("dot.jpg"), PNG);
    expect(await tool("view_image", { path: "dot.jpg" })).toMatchObject({
      image: { mimeType: "image/png" },
    });
  });

  it("write and edit in the workspace, as a change that clients can show", async () => {
    const { tool, at } = await callLab(agentLab);
    expect(await tool("write_file", { path: "a/b.txt", content: "one\ntwo\n" })).toMatchObject({
      ...{ type: "fileChange", status: "completed", denial: null, receiptId: expect.any(String) },
      changes: [{ path: at("a/b.txt"), kind: { type: "add" }, diff: "one\ntwo\n" }],
    });
    const edits = [{ old_text: "two", new_text: "2" }];
    expect(await tool("edit_file", { path: "a/b.txt", edits })).toMatchObject({
      status: "completed",
      changes: [{ kind: { type: "update" }, diff: "@@ -1,2 +1,2 @@\n one\n-two\n+2\n" }],
    });
    expect(readFileSync(at("a/b.txt"), "utf8")).toBe("one\n2\n");
    expect(await tool("edit_file", { path: "a/b.txt", edits })).toMatchObject({
      type: "refusedCall",
    });
  });

  it("say that a patch may be there in part where something cannot be removed", async () => {
    const { tool, at, outside } = await callLab(agentLab);
    writeFileSync(`${outside}/kept.txt`, "x\n");
    const lines = ["*** Add File: part.txt", "+n", `*** Delete File: ${outside}/kept.txt`];
    const input = ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
    const item = await tool("apply_patch", { input }, { approval: "never" });
    expect(item).toMatchObject({ type: "fileChange", status: "failed" });
    expect(output(item)).toMatch(/^Some files may have been changed\. /);
    expect([existsSync(at("part.txt")), existsSync(`${outside}/kept.txt`)]).toEqual([true, true]);
  });

  it("make nothing of a patch with a file that lies in another one of it", async () => {
    const { tool, at, questions } = await callLab(agentLab);
    for (const names of [
      ["new", "new/y"],
      ["new/y", "new"],
    ]) {
      const lines = names.flatMap((name) => [`*** Add File: ${name}`, "+x"]);
      const input = ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
      const item = await tool("apply_patch", { input });
      expect(item).toMatchObject({ type: "refusedCall" });
      expect(output(item)).toMatch(/line 4: .*one lies in the other, expected files$/);
    }
    expect([existsSync(at("new")), questions]).toEqual([false, []]);
  });

  it("say so where two names of a patch are one file, of which one change is lost", async () => {
    const { tool, at } = await callLab(agentLab);
    const openFolder = (name: string) => {
      mkdirSync(at(name));
      chmodSync(at(name), 0o777);
    };
    const openFile = (name: string) => {
      writeFileSync(at(name), "a\nb\n");
      chmodSync(at(name), 0o666);
    };
    openFolder("one");
    symlinkSync("one", at("two"));
    const patch = (...all: string[]) => ({
      input: ["*** Begin Patch", ...all, "*** End Patch"].join("\n"),
    });
    const update = (name: string, from: string, to: string) => [
      ...[`*** Update File: ${name}/f`, "@@", `-${from}`, `+${to}`],
    ];
    for (const lines of [
      [...update("one", "a", "A"), ...update("two", "b", "B")],
      [...update("two", "a", "A"), "*** Delete File: one/f"],
      ["*** Add File: one/g", "+1", "*** Add File: two/g", "+2"],
    ]) {
      openFile("one/f");
      const item = await tool("apply_patch", patch(...lines));
      expect(item).toMatchObject({ status: "failed", receiptId: expect.stringMatching(/./) });
      expect(output(item)).toMatch(/^Some files were changed\. .*expected each file once$/);
    }
    openFolder("three");
    for (const name of ["one/f", "three/f"]) openFile(name);
    const apart = [...update("one", "a", "A"), ...update("three", "b", "B")];
    expect(await tool("apply_patch", patch(...apart))).toMatchObject({ status: "completed" });
  });

  it("apply a patch to all its files, or to none", async () => {
    const { tool, at } = await callLab(agentLab);
    writeFileSync(at("up.txt"), "a\nb\n");
    writeFileSync(at("gone.txt"), "x\n");
    const lines = ["*** Add File: new.txt", "+n", "*** Delete File: gone.txt"];
    const update = ["*** Update File: up.txt", "*** Move to: moved.txt", "@@", "-b", "+B"];
    const patch = (...all: string[]) => ({
      input: ["*** Begin Patch", ...all, "*** End Patch"].join("\n"),
    });
    const broken = ["*** Update File: up.txt", "@@", "-nothing like it", "+B"];
    expect(await tool("apply_patch", patch(...lines, ...broken))).toMatchObject({
      ...{ type: "refusedCall", call: { output: expect.stringMatching(/line 6/) } },
    });
    expect([existsSync(at("new.txt")), existsSync(at("gone.txt"))]).toEqual([false, true]);
    expect(await tool("apply_patch", patch(...lines, ...update))).toMatchObject({
      status: "completed",
      changes: [
        { kind: { type: "add" }, diff: "n\n" },
        { kind: { type: "delete" }, diff: "x\n" },
        { kind: { type: "update", movePath: at("moved.txt") } },
      ],
    });
    expect(readFileSync(at("moved.txt"), "utf8")).toBe("a\nB\n");
    expect(["new.txt", "gone.txt", "up.txt"].map((name) => existsSync(at(name)))).toEqual([
      ...[true, false, false],
    ]);
  });

  it("say of a folder that it is one, and name it", async () => {
    const { tool, at } = await callLab(agentLab);
    mkdirSync(at("sub"));
    const steps = [
      "*** Update File: sub\n@@\n-a\n+b",
      "*** Delete File: sub",
      "*** Add File: sub\n+a",
    ];
    const patches = steps.map((step) => ({ input: `*** Begin Patch\n${step}\n*** End Patch` }));
    const edits = [{ old_text: "a", new_text: "b" }];
    for (const [name, input] of [
      ...patches.map((input) => ["apply_patch", input] as const),
      ["write_file", { path: "sub", content: "a" }] as const,
      ["edit_file", { path: "sub", edits }] as const,
      ["read_file", { path: "sub" }] as const,
      ["view_image", { path: "sub" }] as const,
    ]) {
      const sentence = `Cannot read "${at("sub")}": it is a folder, expected a file`;
      expect([name, output(await tool(name, input))]).toEqual([name, sentence]);
    }
  });

  it("leave a file that is moved what it was: one that can be run", async () => {
    const { tool, at } = await callLab(agentLab);
    writeFileSync(at("run.sh"), "a\n", { mode: 0o755 });
    const step = "*** Update File: run.sh\n*** Move to: sub/moved.sh\n@@\n-a\n+b";
    await tool("apply_patch", { input: `*** Begin Patch\n${step}\n*** End Patch` });
    expect(readFileSync(at("sub/moved.sh"), "utf8")).toBe("b\n");
    expect(statSync(at("sub/moved.sh")).mode & 0o777).toBe(0o755);
    expect(existsSync(at("run.sh"))).toBe(false);
  });

  it("N21: refuse a change outside the workspace without asking where nobody is to be asked", async () => {
    const { tool, outside, questions } = await callLab(agentLab, { frame: { approval: "never" } });
    const item = await tool("write_file", { path: `${outside}/x`, content: "out" });
    expect(item).toMatchObject({ type: "fileChange", status: "failed", receiptId: null });
    expect(output(item)).toMatch(/Cannot write ".*x": the policy denies it \(rule: .*"never"/);
    const line = `What would open it: "${outside}/x" = "write" in [permissions.NAME.filesystem]`;
    expect(output(item)).toContain(line);
    expect([existsSync(`${outside}/x`), questions]).toEqual([false, []]);
  });

  it("ask before a change outside the workspace, once for each", async () => {
    const answers = ["decline", "accept", "decline"] as const;
    const { tool, outside, questions } = await callLab(agentLab, { answers });
    const input = { path: `${outside}/x`, content: "out" };
    expect(await tool("write_file", input)).toMatchObject({ status: "declined" });
    expect(existsSync(`${outside}/x`)).toBe(false);
    expect(await tool("write_file", input)).toMatchObject({ status: "completed" });
    expect(readFileSync(`${outside}/x`, "utf8")).toBe("out");
    const other = { path: `${outside}/x`, content: "other" };
    expect(await tool("write_file", other)).toMatchObject({ status: "declined" });
    expect(readFileSync(`${outside}/x`, "utf8")).toBe("out");
    expect(questions.map(({ kind, escalates }) => [kind, escalates])).toEqual(
      answers.map(() => ["fileChange", true]),
    );
  });

  it("ask before every change where the approval policy trusts nothing", async () => {
    const frame = { approval: "untrusted" };
    const { tool, at, questions } = await callLab(agentLab, {
      answers: ["accept", "decline"],
      frame,
    });
    await tool("write_file", { path: "a", content: "1" });
    await tool("write_file", { path: "a", content: "2" });
    expect(readFileSync(at("a"), "utf8")).toBe("1");
    expect(questions.map(({ escalates }) => escalates)).toEqual([false, false]);
  });

  it("take a leave for the session for exactly this change", async () => {
    const answers = ["acceptForSession", "decline"] as const;
    const { tool, outside, questions } = await callLab(agentLab, { answers });
    await tool("write_file", { path: `${outside}/x`, content: "one" });
    await tool("write_file", { path: `${outside}/x`, content: "two" });
    expect(readFileSync(`${outside}/x`, "utf8")).toBe("one");
    expect(questions).toHaveLength(2);
  });

  it("overwrite nothing that was changed since it was shown, and add nothing that is there", async () => {
    const file = { path: "" };
    const onEvent = (event: TurnEvent) => {
      if (event.kind !== "itemStarted" || event.item.type !== "fileChange") return;
      writeFileSync(file.path, "meanwhile");
    };
    const { tool, at } = await callLab(agentLab, { onEvent });
    const add = "*** Begin Patch\n*** Add File: a.txt\n+new\n*** End Patch";
    writeFileSync(at("a.txt"), "mine");
    expect(await tool("apply_patch", { input: add })).toMatchObject({ type: "refusedCall" });
    expect(readFileSync(at("a.txt"), "utf8")).toBe("mine");
    file.path = at("a.txt");
    const item = await tool("write_file", { path: "a.txt", content: "other" });
    expect([item.type, output(item)]).toEqual([
      ...["fileChange", expect.stringContaining("changed meanwhile")],
    ]);
    expect(readFileSync(at("a.txt"), "utf8")).toBe("meanwhile");
  });

  it("move nothing onto a file that came since it was shown", async () => {
    const target = { path: "" };
    const onEvent = (event: TurnEvent) => {
      if (event.kind !== "itemStarted" || event.item.type !== "fileChange") return;
      writeFileSync(target.path, "meanwhile");
    };
    const { tool, at } = await callLab(agentLab, { onEvent });
    target.path = at("b.txt");
    writeFileSync(at("a.txt"), "one\n");
    const step = "*** Update File: a.txt\n*** Move to: b.txt\n-one\n+two";
    const item = await tool("apply_patch", { input: `*** Begin Patch\n${step}\n*** End Patch` });
    expect(output(item)).toContain(`Cannot change "${at("b.txt")}": it was changed meanwhile`);
    const texts = ["a.txt", "b.txt"].map((name) => readFileSync(at(name), "utf8"));
    expect(texts).toEqual(["one\n", "meanwhile"]);
  });

  it("write nothing under read-only, and anywhere without a sandbox", async () => {
    const { tool, at, outside } = await callLab(agentLab, {
      mode: "read-only",
      answers: ["decline"],
    });
    expect(await tool("write_file", { path: "a", content: "1" })).toMatchObject({
      ...{ status: "declined", denial: expect.stringContaining("rule: ") },
    });
    expect(existsSync(at("a"))).toBe(false);
    const profile = profileIn("danger-full-access");
    await tool("write_file", { path: `${outside}/a`, content: "1" }, { profile });
    expect(readFileSync(`${outside}/a`, "utf8")).toBe("1");
  });
});
