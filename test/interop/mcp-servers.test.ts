/** `writ confine` around servers that nobody here wrote, with clients of both versions of the SDK. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { advertises, STATE_KEY } from "../../src/mcp/index.ts";
import {
  policyForMode,
  profileOfPolicy,
  type SandboxMode,
  uriOfNative,
  writeCanonicalProfile,
} from "../../src/policy/index.ts";
import { type Place, WRIT, writEnv } from "./support/drive-codex.ts";
import { layOutMcp } from "./support/drive-mcp.ts";
import { mcpPackage } from "./support/install-mcp.ts";
import { type Answer, connectFirst, connectSecond, type McpClient } from "./support/mcp-clients.ts";

type ServerName = "filesystem" | "memory" | "everything";

/** How a server of the registry is started behind `writ confine`. */
function startOf(name: ServerName, place: Place, flags: readonly string[] = []) {
  const { workspace, outside } = place;
  const server = path.join(mcpPackage(`server-${name}`), "dist/index.js");
  const args = name === "filesystem" ? [workspace, outside] : [];
  const variables = { MEMORY_FILE_PATH: path.join(workspace, "memory.jsonl") };
  const named = Object.keys(variables).flatMap((variable) => ["--env", variable]);
  return {
    argv: [WRIT, "confine", ...flags, ...named, "--", process.execPath, server, ...args],
    cwd: workspace,
    env: { ...writEnv(place), ...variables },
  };
}

/** The `_meta` of a call under a mode, as Codex writes it. */
function under(mode: SandboxMode, { workspace }: Place): object {
  const cwd = uriOfNative(workspace);
  const profile = profileOfPolicy(policyForMode(mode));
  const permissionProfile = writeCanonicalProfile(profile, "refuse");
  return { [STATE_KEY]: { permissionProfile, sandboxCwd: cwd, codexLinuxSandboxExe: null } };
}

const textOf = ({ content }: Answer) => content.map(({ text }) => text).join("\n");

describe.each([
  ["version 1", connectFirst],
  ["version 2", connectSecond],
])("with a client of %s", (_, connect) => {
  it.each<[ServerName, string]>([
    ["filesystem", "write_file"],
    ["memory", "create_entities"],
    ["everything", "get-sum"],
  ])("%s shakes hands, asks for the state and lists its tools", async (name, tool) => {
    const client = await connect(startOf(name, layOutMcp()));
    expect(advertises(client.capabilities())).toBe(true);
    expect(await client.tools()).toContain(tool);
  });

  it("filesystem writes where the mode of each call lets it", async () => {
    const place = layOutMcp();
    const client = await connect(startOf("filesystem", place));
    const write = (folder: string, name: string, mode: SandboxMode) =>
      client.call(
        "write_file",
        { path: path.join(folder, name), content: name },
        under(mode, place),
      );
    const { workspace, outside } = place;
    expect(await write(workspace, "a", "read-only")).toMatchObject({ isError: true });
    expect(await write(workspace, "b", "workspace-write")).not.toMatchObject({ isError: true });
    expect(await write(outside, "c", "workspace-write")).toMatchObject({ isError: true });
    expect(await write(outside, "d", "danger-full-access")).not.toMatchObject({ isError: true });
    expect(await write(workspace, "e", "read-only")).toMatchObject({ isError: true });
    const files = ["a", "b", "c", "d", "e"].filter((file) =>
      [workspace, outside].some((folder) => existsSync(path.join(folder, file))),
    );
    expect(files).toEqual(["b", "d"]);
  });

  it("filesystem reads under every mode, and what it gives back is unchanged", async () => {
    const place = layOutMcp();
    const file = path.join(place.workspace, "text");
    writeFileSync(file, "grün — 漢字\n".repeat(10_000));
    const client = await connect(startOf("filesystem", place));
    const answer = await client.call("read_text_file", { path: file }, under("read-only", place));
    expect(textOf(answer)).toBe(readFileSync(file, "utf8"));
  });

  it("memory remembers on the host only what a call was allowed to write", async () => {
    const place = layOutMcp();
    const file = path.join(place.workspace, "memory.jsonl");
    const client = await connect(startOf("memory", place));
    const remember = (name: string, mode: SandboxMode) => {
      const entities = [{ name, entityType: "note", observations: ["seen"] }];
      return client.call("create_entities", { entities }, under(mode, place));
    };
    expect(await remember("first", "read-only")).toMatchObject({ isError: true });
    expect(existsSync(file)).toBe(false);
    await remember("second", "workspace-write");
    expect(readFileSync(file, "utf8")).toContain("second");
    const graph = await client.call("read_graph", {}, under("read-only", place));
    expect(textOf(graph)).toContain("second");
    expect(textOf(graph)).not.toContain("first");
  });

  it.each<ServerName>(["filesystem", "memory", "everything"])(
    "%s is not called without state",
    async (name) => {
      const place = layOutMcp();
      const client = await connect(startOf(name, place));
      const [tool = ""] = await client.tools();
      const answer = await client.call(tool, {});
      expect(answer).toMatchObject({ isError: true });
      expect(textOf(answer)).toContain("came without sandbox state");
    },
  );

  it("everything reports progress, and asks its client, before and after a change of mode", async () => {
    const place = layOutMcp();
    const client = await connect(startOf("everything", place));
    for (const mode of ["read-only", "workspace-write"] as const) await asksItsClient(mode);

    async function asksItsClient(mode: SandboxMode): Promise<void> {
      const meta = under(mode, place);
      const progress = vi.fn();
      const long = { duration: 0.2, steps: 4 };
      await client.call("trigger-long-running-operation", long, meta, progress);
      expect(progress.mock.calls.length).toBeGreaterThanOrEqual(3);
      const sampled = await calling(client, "trigger-sampling-request", { prompt: "p" }, meta);
      expect(sampled).toContain("sampled-answer");
      const elicited = await calling(client, "trigger-elicitation-request", {}, meta);
      expect(elicited).toContain("elicited-answer");
      expect(await calling(client, "get-roots-list", {}, meta)).toContain("listed-root");
    }
  });

  it.each([
    ["read-only", []],
    ["workspace-write", ["in"]],
  ])("--sandbox %s leaves %j of a client that sends nothing", async (mode, files) => {
    const place = layOutMcp();
    const { workspace, outside } = place;
    const client = await connect(startOf("filesystem", place, ["--sandbox", mode]));
    expect(advertises(client.capabilities())).toBe(false);
    for (const file of [path.join(workspace, "in"), path.join(outside, "out")]) {
      // A state that such a client sends all the same is not read.
      await client.call("write_file", { path: file, content: "" }, under("read-only", place));
    }
    expect(["in", "out"].filter((name) => isIn(place, name))).toEqual(files);
  });
});

function isIn({ workspace, outside }: Place, name: string): boolean {
  return [workspace, outside].some((folder) => existsSync(path.join(folder, name)));
}

/** The text of a tool that the server has once it knows what its client can do. */
async function calling(
  client: McpClient,
  name: string,
  args: object,
  meta: object,
): Promise<string> {
  await vi.waitFor(async () => expect(await client.tools()).toContain(name), { timeout: 60_000 });
  return textOf(await client.call(name, args, meta));
}
