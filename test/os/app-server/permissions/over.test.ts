/** What a grant leaves behind when it is over, or when its place is another. */
import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../../agent/support/agent-lab.ts";
import { USERS } from "../../support/sandbox-user.ts";
import type { Message } from "../support/app-client.ts";
import { askingThread, DECLINE, ended, say } from "../support/asking.ts";
import { caseApp } from "../support/case-app.ts";
import { living } from "../support/struck-app.ts";
import { FILE_WRITER } from "./support/file-writer.ts";

const echo =
  (scope: string) =>
  ({ params }: Message) => ({ result: { permissions: params.permissions, scope } });

const call = (server: string, file: string) => `call ${server}.write ${JSON.stringify({ file })}`;

describe.each(USERS)("a grant that is over (%s)", (user) => {
  /** The processes of a server, of which every thread has one of its own. */
  let running = (_server: string): readonly string[] => [];
  const app = caseApp({
    user,
    settings: ({ outside, installed }) => {
      const node = path.join(installed, "node_modules/.bin/node");
      running = (server) => living(`${node}\0${path.join(outside, `${server}.mjs`)}`);
      return ["told", "held"]
        .map((name) => {
          const file = path.join(outside, `${name}.mjs`);
          writeFileSync(file, FILE_WRITER);
          const command = `command = ${JSON.stringify(node)}\nargs = [${JSON.stringify(file)}]\n`;
          return `[mcp_servers.${name}]\n${command}${name === "told" ? 'sandbox = "inherit"\n' : ""}`;
        })
        .join("");
    },
  });

  async function asking(name: string) {
    const { lab, place } = app();
    const client = await lab.client();
    const [wanted, other] = ["wanted", "other"].map((one) => {
      const made = path.join(place.outside, `${name}-${one}`);
      mkdirSync(made);
      return made;
    }) as [string, string];
    place.give();
    return { client, threadId: await askingThread(client, place), wanted, other };
  }

  it.each(["told", "held"])("ends a server that was called with it: %s", async (server) => {
    const { client, threadId, wanted } = await asking(`ends-${server}`);
    const others = running(server);
    client.onAsked = echo("turn");
    await client.turn(threadId, call(server, `${wanted}/a`));
    const own = running(server).filter((pid) => !others.includes(pid));
    expect(own).not.toEqual([]);
    await client.turn(threadId, `ask write ${wanted} then ${call(server, `${wanted}/b`)}`);
    expect(existsSync(`${wanted}/b`)).toBe(true);
    await until(() => !running(server).some((pid) => own.includes(pid)));
    const { items } = await client.turn(threadId, call(server, `${wanted}/c`));
    expect(items.find(({ type }) => type === "mcpToolCall")).toMatchObject({ error: null });
  });

  it("leaves a server that was called with one for the session", async () => {
    const { client, threadId, wanted } = await asking("leaves");
    const others = running("held");
    client.onAsked = echo("session");
    await client.turn(threadId, `ask write ${wanted} then ${call("held", `${wanted}/a`)}`);
    const own = running("held").filter((pid) => !others.includes(pid));
    expect(own).not.toEqual([]);
    await client.turn(threadId, call("held", `${wanted}/b`));
    expect(existsSync(`${wanted}/b`)).toBe(true);
    expect(running("held").some((pid) => own.includes(pid))).toBe(true);
  });

  it.each([
    ["a command", (file: string) => `touch ${file}`],
    ["a tool for files", (file: string) => `write ${file} text`],
    ["a server", (file: string) => call("held", file)],
  ])("opens nothing else to %s when its place becomes a link in the turn", async (name, write) => {
    const { client, threadId, wanted, other } = await asking(name.replaceAll(" ", "-"));
    client.onAsked = (asked) =>
      asked.method === "item/permissions/requestApproval" ? echo("turn")(asked) : DECLINE;
    const wait = `touch ${wanted}/a; until [ -e ${wanted}/go ]; do sleep 0.05; done`;
    const turnId = await say(client, threadId, `ask write ${wanted} then ${wait}`);
    await until(() => existsSync(`${wanted}/a`));
    const input = [{ type: "text", text: write(`${wanted}/b`), text_elements: [] }];
    await client.ok("turn/steer", { threadId, expectedTurnId: turnId, input });
    renameSync(wanted, `${wanted}-before`);
    symlinkSync(other, wanted);
    writeFileSync(`${wanted}-before/go`, "");
    await ended(client, turnId);
    expect(existsSync(`${other}/b`)).toBe(false);
  });
});
