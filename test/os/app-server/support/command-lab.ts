/** Commands and files as a client has them, served by a process that is either user. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import {
  commandMethods,
  commandNotifications,
} from "../../../../src/app-server/protocol/command-methods.ts";
import { fileMethods } from "../../../../src/app-server/protocol/file-methods.ts";
import {
  type Client,
  clientOf,
  createLineTransport,
  createPeer,
  createRouter,
  jsonRpc2,
} from "../../../../src/rpc/index.ts";
import { type Place, placeFor, type SandboxUser } from "../../support/sandbox-user.ts";
import { testProgram } from "../../support/test-program.ts";

/** What was streamed, in order. */
export type Printed = readonly [processId: string, stream: string, text: string];

export interface CommandLab {
  readonly place: Place;
  readonly command: Client<typeof commandMethods>;
  readonly fs: Client<typeof fileMethods>;
  readonly printed: Printed[];
  /** Settles when something that was streamed holds the text. */
  untilPrinted(text: string): Promise<void>;
  /** Closes the connection; settles when the server has left. */
  end(): Promise<void>;
}

/** Who is told what to do at the end. */
type Finished = (end: () => void | Promise<void>) => void;

/** One for all tests of a `describe`, where they cannot disturb each other. */
export function sharedLab(user: SandboxUser, profile?: string): () => CommandLab {
  const ends: (() => void | Promise<void>)[] = [];
  let lab: CommandLab | undefined;
  beforeAll(() => {
    lab = commandLab(user, profile, (end) => void ends.unshift(end));
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });
  return () => {
    if (lab === undefined) throw new Error("the server is there from the first test on");
    return lab;
  };
}

/** Starts one whose own policy is the profile of that id; ended with the test unless something else is said. */
export function commandLab(
  user: SandboxUser,
  profile = ":workspace",
  finished: Finished = onTestFinished,
): CommandLab {
  const place = placeFor(user, finished);
  const { installed, workspace, env, argv, give } = place;
  give();
  const program = testProgram(installed, "command-server");
  const [first = "", ...rest] = [...argv([]).slice(0, -1), ...program, workspace, profile];
  const variables = { ...env, SERVER_SECRET: "shh", SERVER_WORD: "plain" };
  const server = spawn(first, rest, {
    cwd: "/",
    env: variables,
    stdio: ["pipe", "pipe", "inherit"],
  });
  server.stdin.on("error", () => {});
  const printed: Printed[] = [];
  let news = Promise.withResolvers<void>();
  const peer = createPeer<void>({
    transport: createLineTransport({ input: server.stdout, output: server.stdin }),
    dialect: jsonRpc2,
    log: () => {},
    serve: {
      router: createRouter({
        methods: commandNotifications,
        handlers: {
          outputDelta: ({ processId, stream, deltaBase64 }) => {
            printed.push([processId, stream, Buffer.from(deltaBase64, "base64").toString()]);
            news.resolve();
            news = Promise.withResolvers();
          },
        },
      }),
      context: () => {},
    },
  });
  const end = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.stdin.end();
    await ended;
  };
  finished(end);
  return {
    place,
    command: clientOf(commandMethods, peer),
    fs: clientOf(fileMethods, peer),
    printed,
    async untilPrinted(text) {
      while (!printed.some(([, , one]) => one.includes(text))) await news.promise;
    },
    end,
  };
}

/** A shell script as a command. */
export function sh(script: string): string[] {
  return ["/bin/sh", "-c", script];
}
