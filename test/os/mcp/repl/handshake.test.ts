/** Cases 1 to 8: what a server says of itself, and what its tool takes. */
import { describe, expect, it } from "vitest";
import { placeFor, USERS } from "../../support/sandbox-user.ts";
import { openRepl, replIn } from "./support/open-repl.ts";
import { ReplClient } from "./support/repl-client.ts";

const [USER = "ordinary"] = USERS;

async function greeted(flags: readonly string[]) {
  const client = new ReplClient(placeFor(USER), { flags: ["--language", "python", ...flags] });
  const said = await client.greet();
  await client.end();
  return said as { protocolVersion: string; capabilities: Record<string, unknown> };
}

async function toolOf(flags: readonly string[]) {
  const client = await openRepl({ flags: ["--language", "python", ...flags] });
  const { result } = await client.ask("tools/list");
  const { tools } = result as { tools: Record<string, unknown>[] };
  expect(tools).toHaveLength(1);
  return tools[0] ?? {};
}

describe("a server that was just started", () => {
  it("1: speaks the protocol that was asked for, and has tools", async () => {
    const { protocolVersion, capabilities } = await greeted([]);
    expect(protocolVersion).toBe("2025-06-18");
    expect(capabilities.tools).toBeDefined();
  });

  it.each(["inherit", "inherit-codex"])("2: advertises %s, with a version", async (mode) => {
    const { capabilities } = await greeted(["--sandbox", mode]);
    expect(capabilities.experimental).toMatchObject({
      "codex/sandbox-state-meta": { version: expect.any(String) },
    });
  });

  it("3: advertises nothing where a later mode is its own", async () => {
    const { capabilities } = await greeted([
      "--sandbox",
      "inherit",
      "--sandbox",
      "workspace-write",
    ]);
    expect(JSON.stringify(capabilities)).not.toContain("sandbox-state");
  });

  it("4: has one tool with an input, a time, and nothing else that is required", async () => {
    const { name, inputSchema } = await toolOf([]);
    expect(name).toBe("repl");
    expect(inputSchema).toMatchObject({
      required: ["input"],
      additionalProperties: false,
      properties: { input: { type: "string" }, timeout_ms: expect.anything() },
    });
  });

  it("8: says how output is shown that is too long", async () => {
    const { description: pager } = await toolOf(["--oversized-output", "pager"]);
    const { description: files } = await toolOf(["--oversized-output", "files"]);
    expect(pager).toContain(":help");
    expect(files).not.toContain(":help");
    expect(files).toContain("file");
  });
});

describe("a call that is malformed", () => {
  const python = replIn("python");

  it.each([
    ["5: no input", {}, /input/],
    ["6: a time below zero", { input: "x = 2", timeout_ms: -1 }, /timeout_ms/],
    ["6: half a millisecond", { input: "x = 2", timeout_ms: 0.5 }, /timeout_ms/],
    ["7: an argument that nobody knows", { input: "x = 2", extra: 1 }, /extra/],
    ["7: a language that is not there", { input: "x = 2", language: "cobol" }, /language|cobol/],
  ])("%s is refused, and runs nothing", async (_, args, words) => {
    await python.call("x = 1");
    const { result, error } = await python.client.tool(args);
    expect(error !== undefined || (result as { isError: boolean }).isError).toBe(true);
    expect(JSON.stringify(error ?? result)).toMatch(words);
    expect((await python.call("x")).text).toBe("1\n");
  });
});
