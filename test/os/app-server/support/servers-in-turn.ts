/**
 * Servers that follow one another at one place, for all tests of a `describe`.
 *
 * What tests do in those that are ended is done for all of them before the first test: so there are as
 * many servers as one test needs. Each test begins with a thread of its own.
 */
import { beforeAll } from "vitest";
import type { Place } from "../../support/sandbox-user.ts";
import type { CaseApp, CaseOptions } from "./case-app.ts";
import { standingApp } from "./standing-app.ts";

export interface InTurnOptions extends Omit<CaseOptions, "settings"> {
  /** The user's settings when the earlier servers start. */
  readonly settings: (place: Place) => string;
  /** Those when the last one does. */
  readonly lastSettings: (place: Place) => string;
}

export interface ServersInTurn {
  /**
   * Does something in the first server, or in one that follows it, which is ended then.
   * The test asks for what came of it, and fails alone where that is an error.
   */
  earlier<T>(act: (app: CaseApp) => Promise<T>, at?: number): () => Promise<T>;
  /** The server that is there when the tests run. */
  last(): Promise<CaseApp>;
}

/** Ends every server but the last before the first test. */
export function serversInTurn({ lastSettings, ...options }: InTurnOptions): ServersInTurn {
  const acts: ((app: CaseApp) => Promise<void>)[][] = [];
  let settings = options.settings;
  const app = standingApp({ ...options, settings: (place) => settings(place) });
  beforeAll(async () => {
    for (const inOne of acts) {
      for (const act of inOne) await act(await app());
      const { client, lab } = await app();
      client.close();
      await lab.stop();
    }
    settings = lastSettings;
  });
  return {
    earlier<T>(act: (app: CaseApp) => Promise<T>, at = 0) {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      // Its test is told.
      promise.catch(() => {});
      acts[at] ??= [];
      acts[at].push((now) => act(now).then(resolve, reject));
      return () => promise;
    },
    last: app,
  };
}
