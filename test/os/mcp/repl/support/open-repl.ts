/** Servers for tests: one of a test's own, or one that several have in common. */
import { afterAll, beforeAll, beforeEach, onTestFailed, onTestFinished } from "vitest";
import { type Place, placeFor, type SandboxUser } from "../../../support/sandbox-user.ts";
import { type CallOptions, ReplClient, type Replied, type ReplOptions } from "./repl-client.ts";

export interface TestRepl extends ReplOptions {
  readonly user?: SandboxUser;
  readonly place?: Place;
}

/** Whoever runs the tests. */
const SELF: SandboxUser = process.getuid?.() === 0 ? "root" : "ordinary";

/** A server that ends with the test, ready for calls. */
export async function openRepl({ user = SELF, place, ...options }: TestRepl): Promise<ReplClient> {
  const client = new ReplClient(place ?? placeFor(user), options);
  onTestFinished(() => close(client));
  await client.greet();
  return client;
}

/** Gives a server by a name, and starts it in the place it gets where there is none. */
export type KeptRepls = (
  name: string,
  options: (place: Place) => ReplOptions,
) => Promise<ReplClient>;

/** Servers that tests have one after the other; another once one is over, or a test that had it failed. */
export function keptRepls(user: SandboxUser = SELF): KeptRepls {
  const kept = new Map<string, Promise<ReplClient>>();
  const ends: (() => void | Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of ends) await end();
  });
  const start = async (options: (place: Place) => ReplOptions) => {
    const place = placeFor(user, (end) => void ends.unshift(end));
    const client = new ReplClient(place, options(place));
    ends.unshift(() => close(client));
    await client.greet();
    return client;
  };
  return async (name, options) => {
    const current = kept.get(name) ?? start(options);
    kept.set(name, current);
    const forget = () => {
      if (kept.get(name) === current) kept.delete(name);
    };
    onTestFailed(forget);
    const client = await current;
    void client.exit.then(forget);
    return client;
  };
}

export interface LanguageRepl {
  readonly client: ReplClient;
  call(input: string, options?: CallOptions): Promise<Replied>;
}

export interface LanguageOptions extends TestRepl {
  /** Whether each test begins with a session in which nothing has run, as it does by default. */
  readonly restarts?: boolean;
}

/** One server for a `describe`. */
export function replIn(language: string, options: LanguageOptions = {}): LanguageRepl {
  const ends: (() => void)[] = [];
  let opened: ReplClient | undefined;
  const client = (): ReplClient => {
    if (opened === undefined) throw new Error("the server is there from the first test on");
    return opened;
  };
  beforeAll(async () => {
    const { user = SELF, flags = ["--oversized-output", "files"], ...rest } = options;
    const place = placeFor(user, (end) => void ends.push(end));
    opened = new ReplClient(place, { ...rest, flags: ["--language", language, ...flags] });
    await opened.greet();
    await opened.call("");
  });
  beforeEach(async () => {
    if (options.restarts !== false) await client().call("\u0004");
  });
  afterAll(async () => {
    if (opened !== undefined) await close(opened);
    for (const end of ends) end();
  });
  return {
    get client() {
      return client();
    },
    call: (input, callOptions) => client().call(input, callOptions),
  };
}

async function close(client: ReplClient): Promise<void> {
  const late = setTimeout(() => client.child.kill("SIGKILL"), 20_000);
  await client.end();
  clearTimeout(late);
}
