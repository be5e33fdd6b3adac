/** The server is killed at any moment of a turn: nothing that was told is lost, nothing runs twice, nothing is left. */
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { campaignSeed, rounds } from "../../support/campaign.ts";
import { USERS } from "../support/sandbox-user.ts";
import { AppLab, WAYS } from "./support/app-lab.ts";
import { randomFrom } from "./support/random-from.ts";
import { type Begun, momentOf, type Random } from "./support/strike-moment.ts";
import { StruckApp } from "./support/struck-app.ts";

const ROUNDS = rounds(100);

const KINDS = ["command", "slow", "words", "steered", "background", "shell", "escalated"] as const;

function beginTurn(app: StruckApp, name: string, random: Random): Begun {
  const { client, threadId } = app;
  const refusals: string[] = [];
  const ask = async (method: string, params: object) => {
    const { error } = await client.call(method, { threadId, ...params });
    if (error !== undefined && error.code !== 0) refusals.push(error.message);
  };
  const say = (text: string) => {
    void ask("turn/start", { input: [{ type: "text", text, text_elements: [] }] });
  };
  const kind = KINDS[random(KINDS.length)] ?? "command";
  if (kind === "command") say(app.script(name));
  if (kind === "slow") say(app.script(name, `sleep 0.${random(3)}; seq 1 20000`));
  if (kind === "words") say(`say ${name}`);
  if (kind === "steered") for (const part of ["a", "b", "c"]) say(app.script(`${name}-${part}`));
  if (kind === "background") say(`background ${app.script(name, "sleep 1000")}`);
  if (kind === "shell") void ask("thread/shellCommand", { command: app.script(name) });
  if (kind === "escalated") say(`escalate ${app.script(name, "sleep 0.2; kill $!")}`);
  return { refusals, first: kind === "escalated" ? OUTPUT : undefined };
}

const OUTPUT = "item/commandExecution/outputDelta";

describe.each(USERS.map((user, at) => [user, WAYS[at % WAYS.length] ?? "ws"] as const))(
  "a kill -9 of a server of %s over %s",
  (user, over) => {
    it("loses nothing that was told, runs nothing twice and leaves nothing", {
      timeout: ROUNDS * 60_000,
    }, async () => {
      const random = randomFrom(campaignSeed);
      const app = new StruckApp(user, over);
      await app.begin();
      await app.goOn("first");
      for (let round = 0; round < ROUNDS / USERS.length; round += 1) {
        const begun = beginTurn(app, `round-${round}`, random);
        await momentOf(app, begun, random);
        expect(begun.refusals).toEqual([]);
        await app.strike();
        await app.resume();
        await app.goOn(`next-${round}`);
        await app.expectClean(`next-${round}`);
        const { ran } = app;
        expect(ran).toEqual([...new Set(ran)]);
      }
      expect(app.lab.errors).not.toMatch(/^writ: /m);
    });
  },
);

describe("a kill -9 between a thread and its first turn", () => {
  it("leaves no thread in the list that can be neither resumed nor archived", async () => {
    const lab = new AppLab({});
    const client = await lab.client();
    const begin = async () => {
      const { thread } = await client.ok("thread/start", { cwd: lab.place.workspace });
      await client.turn(thread.id, "say hello");
      return thread.id as string;
    };
    const [whole, struck] = [await begin(), await begin()];
    await lab.stop("SIGKILL");
    const database = new DatabaseSync(path.join(lab.home, "threads.db"));
    // As it lies there between the two transactions.
    const ofStruck = "(SELECT seq FROM threads WHERE id = ?)";
    for (const table of ["items", "turns"]) {
      database.prepare(`DELETE FROM ${table} WHERE thread = ${ofStruck}`).run(struck);
    }
    database.close();
    const later = await lab.client();
    const { data } = await later.ok("thread/list", {});
    expect(data.map(({ id }: { id: string }) => id)).toEqual([whole]);
    expect((await later.refused("thread/resume", { threadId: struck })).message).toContain(
      "no rollout found",
    );
  });
});
