/** The server is killed at any moment of a turn that a model behind HTTP drives: words, a command, a question, a change of files. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { answers, type Step, says } from "../../../agent/model/ai/support/responses-server.ts";
import { campaignSeed, rounds } from "../../../support/campaign.ts";
import { USERS } from "../../support/sandbox-user.ts";
import { WAYS } from "../support/app-lab.ts";
import { randomFrom } from "../support/random-from.ts";
import { callsTool, type ScriptedModel, scriptedModel } from "../support/scripted-model.ts";
import { type Begun, momentOf, type Random } from "../support/strike-moment.ts";
import { StruckApp } from "../support/struck-app.ts";

const ROUNDS = rounds(100);
const TEXT = "whole\n".repeat(5000);

const KINDS = [
  "words",
  "command",
  "question",
  "unanswered",
  "change",
  "far change",
  "all",
] as const;

interface Round {
  readonly app: StruckApp;
  readonly model: ScriptedModel;
  readonly name: string;
}

/** What the model does when the name of the round is said; each command says once that it ran. */
function scriptOf(kind: (typeof KINDS)[number], { app, name }: Round): readonly Step[] {
  const words = answers(says(`words-${name}`, ...name.repeat(20).split("-")));
  const command = callsTool(`${name}-c`, "exec_command", { cmd: app.script(name) });
  const question = callsTool(`${name}-q`, "exec_command", {
    ...{ cmd: `echo ${name}-q >> ran`, sandbox_permissions: "require_escalated" },
  });
  const changed = (file: string) => ({ path: file, content: TEXT });
  const change = callsTool(`${name}-f`, "write_file", changed(madeBy(name, app).inside));
  const far = callsTool(`${name}-o`, "write_file", changed(madeBy(name, app).outside));
  switch (kind) {
    case "words":
      return [words];
    case "command":
      return [command];
    case "question":
    case "unanswered":
      return [question];
    case "change":
      return [change];
    case "far change":
      return [far];
    case "all":
      return [command, change, far, words];
  }
}

function madeBy(name: string, { workspace, lab }: StruckApp) {
  return { inside: path.join(workspace, name), outside: path.join(lab.place.outside, name) };
}

function beginTurn(round: Round, random: Random): Begun {
  const { app, model, name } = round;
  const kind = KINDS[random(KINDS.length)] ?? "words";
  model.scripts.set(name, scriptOf(kind, round));
  const refusals: string[] = [];
  if (kind === "unanswered") app.client.onAsked = () => undefined;
  const input = [{ type: "text", text: name, text_elements: [] }];
  void app.client.call("turn/start", { threadId: app.threadId, input }).then(({ error }) => {
    if (error !== undefined && error.code !== 0) refusals.push(error.message);
  });
  const standsStill = () => kind === "unanswered" && app.client.asked.length > 0;
  return { refusals, first: undefined, standsStill };
}

/** The next change in a folder takes away what a killed one left beside its files. */
async function tidy({ app, model, name }: Round): Promise<void> {
  const line = `tidy-${name}`;
  const file = path.join(app.workspace, "tidied");
  model.scripts.set(line, [callsTool(line, "write_file", { path: file, content: "" })]);
  const { items } = await app.client.turn(app.threadId, line);
  expect(items.find(({ type }) => type === "fileChange")).toMatchObject({ status: "completed" });
  rmSync(file);
}

/** A file of a change is there as a whole, or not at all; it is taken away for the next round. */
function expectWhole({ app, name }: Round): void {
  for (const file of Object.values(madeBy(name, app))) {
    if (existsSync(file)) expect(readFileSync(file, "utf8")).toBe(TEXT);
    rmSync(file, { force: true });
  }
}

/** What the model is told has an answer to every call, once. */
function expectAnswered({ requests }: ScriptedModel): void {
  const input = requests.at(-1)?.body.input as readonly Readonly<Record<string, unknown>>[];
  const idsOf = (wanted: string) =>
    input.filter(({ type }) => type === wanted).map(({ call_id }) => call_id);
  const called = idsOf("function_call");
  expect(called).toEqual([...new Set(called)]);
  expect(idsOf("function_call_output").toSorted()).toEqual(called.toSorted());
}

describe.each(USERS.map((user, at) => [user, WAYS[at % WAYS.length] ?? "ws"] as const))(
  "a kill -9 of a server of %s over %s, in a turn of a model behind HTTP",
  (user, over) => {
    it("leaves a history that holds, runs nothing twice and leaves nothing behind", {
      timeout: ROUNDS * 60_000,
    }, async () => {
      const random = randomFrom(campaignSeed);
      const model = await scriptedModel();
      const app = new StruckApp(user, over, model.config);
      await app.begin();
      await app.goOn("first");
      for (let at = 0; at < ROUNDS / USERS.length; at += 1) {
        const round = { app, model, name: `round-${at}` };
        const begun = beginTurn(round, random);
        await momentOf(app, begun, random);
        expect(begun.refusals).toEqual([]);
        await app.strike();
        await app.resume();
        await app.goOn(`next-${at}`);
        await tidy(round);
        expectWhole(round);
        expectAnswered(model);
        await app.expectClean(`next-${at}`);
        const { ran } = app;
        expect(ran).toEqual([...new Set(ran)]);
      }
      expect(app.lab.errors).not.toMatch(/^writ: /m);
    });
  },
);
