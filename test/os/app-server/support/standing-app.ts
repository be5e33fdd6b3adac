/**
 * One server for the tests of a `describe`, which starts when the first of them asks for it.
 *
 * For tests that begin with a thread and folders of their own. Where one of them ends the server,
 * the next one gets another.
 */
import { mkdirSync, mkdtempSync } from "node:fs";
import path from "node:path";
import { afterAll } from "vitest";
import type { Place } from "../../support/sandbox-user.ts";
import type { AppClient } from "./app-client.ts";
import { AppLab } from "./app-lab.ts";
import type { CaseApp, CaseOptions } from "./case-app.ts";

export interface StandingOptions extends Omit<CaseOptions, "token"> {
  /** What connections say; null where nobody is asked who they are. */
  readonly token?: string | null;
}

/** Asks for the server, and a client of it that all tests use. Settings are written before each start. */
export function standingApp({
  settings,
  token = "sesame",
  ...options
}: StandingOptions): () => Promise<CaseApp> {
  const ends: (() => void)[] = [];
  let lab: AppLab | undefined;
  let client: AppClient | undefined;
  afterAll(() => {
    for (const end of ends) end();
  });
  return async () => {
    lab ??= new AppLab({
      ...(token !== null && { token }),
      ...options,
      finished: (end) => void ends.unshift(end),
    });
    const { place, isRunning } = lab;
    if (client === undefined || !isRunning) {
      if (settings !== undefined) lab.configure(settings(place));
      client = await lab.client();
    }
    return { lab, client, place };
  };
}

/** Folders of one test; what it lays out there later is the user's once it is given. */
export type Room = Pick<Place, "workspace" | "outside" | "give">;

/** Makes them beside those of the place, and as they are there. */
export function roomIn({ workspace: other, give }: Place): Room {
  const folder = mkdtempSync(path.join(path.dirname(other), "room-"));
  const [workspace, outside] = [path.join(folder, "ws"), path.join(folder, "outside")];
  for (const one of [workspace, outside]) mkdirSync(one);
  give();
  return { workspace, outside, give };
}
