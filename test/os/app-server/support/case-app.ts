/** One server and one client for the cases of a `describe`; all that the client got is held to the declared shapes. */
import { afterAll, beforeAll, expect } from "vitest";
import type { Place } from "../../support/sandbox-user.ts";
import type { AppClient, Message } from "./app-client.ts";
import { AppLab, type LabOptions } from "./app-lab.ts";
import { unfitting } from "./unfitting.ts";

export interface CaseApp {
  readonly lab: AppLab;
  readonly client: AppClient;
  readonly place: Place;
}

export interface CaseOptions extends Omit<LabOptions, "config" | "finished"> {
  /** The user's settings, which may name paths of the place. */
  readonly settings?: (place: Place) => string;
}

/** Starts it before the first test and ends it after the last one. */
export function caseApp({ settings, ...options }: CaseOptions): () => CaseApp {
  const ends: (() => void)[] = [];
  let app: CaseApp | undefined;
  beforeAll(async () => {
    const lab = new AppLab({
      token: "sesame",
      ...options,
      finished: (end) => void ends.unshift(end),
    });
    if (settings !== undefined) lab.configure(settings(lab.place));
    app = { lab, client: await lab.client(), place: lab.place };
  });
  afterAll(() => {
    const wrong = app === undefined ? [] : unfitting(app.client);
    for (const end of ends) end();
    expect(wrong).toEqual([]);
  });
  return () => {
    if (app === undefined) throw new Error("the server is there from the first test on");
    return app;
  };
}

/** A refusal after which there are as many threads as before, and nobody heard of another one. */
export async function refusedThread(
  client: AppClient,
  params: object,
  method = "thread/start",
): Promise<NonNullable<Message["error"]>> {
  const threads = async () => ({
    loaded: (await client.ok("thread/loaded/list", {})).data,
    kept: (await client.ok("thread/list", {})).data.map(({ id }: { id: string }) => id),
    heard: client.notes.filter(({ method }) => method === "thread/started").length,
  });
  const before = await threads();
  const error = await client.refused(method, params);
  expect(await threads()).toEqual(before);
  return error;
}

/** A command in a turn of its own, as its item says it ended. */
export async function ran(
  client: AppClient,
  threadId: string,
  script: string,
  members: object = {},
): Promise<{ readonly exitCode: number | null; readonly output: string }> {
  const { items } = await client.turn(threadId, script, members);
  const item = items.find(({ type }) => type === "commandExecution");
  if (item === undefined) throw new Error(`there is no command in ${JSON.stringify(items)}`);
  return { exitCode: item.exitCode, output: item.aggregatedOutput ?? "" };
}
