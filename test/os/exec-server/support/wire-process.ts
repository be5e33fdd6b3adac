/** Processes as a client of the wire sees them. */
import { uri } from "./exec-lab.ts";
import type { WireClient, Wired, WireNote } from "./wire-client.ts";

export interface Heard {
  readonly stdout: string;
  readonly stderr: string;
  readonly pty: string;
  readonly exitCode: number | undefined;
  readonly sandboxDenied: boolean | undefined;
  /** Every event, in the order of arrival. */
  readonly events: readonly WireNote[];
}

let started = 0;

/** Params of `process/start` for a shell script: no sandbox, pipes, a plain environment. */
export function startOf(cwd: string, script: string, more: Wired = {}) {
  started += 1;
  return {
    processId: `p${started}`,
    argv: ["/bin/sh", "-c", script],
    cwd: uri(cwd),
    env: { PATH: "/usr/bin:/bin" },
    tty: false,
    ...more,
  };
}

/** Starts it and waits until it is closed. */
export async function run(client: WireClient, params: { readonly processId: string }) {
  await client.call("process/start", params);
  return closed(client, params.processId);
}

/** Waits for the last event and gives all of them. */
export async function closed(client: WireClient, processId: string): Promise<Heard> {
  await client.waitNote("process/closed", (params) => params.processId === processId);
  const events = client.notes.filter(({ params }) => params.processId === processId);
  const exit = events.find(({ method }) => method === "process/exited")?.params;
  const text = (stream: string) =>
    Buffer.concat(
      events
        .filter(({ params }) => params.stream === stream)
        .map(({ params }) => Buffer.from(params.chunk ?? "", "base64")),
    ).toString();
  return {
    stdout: text("stdout"),
    stderr: text("stderr"),
    pty: text("pty"),
    exitCode: exit?.exitCode,
    sandboxDenied: exit?.sandboxDenied,
    events,
  };
}

/** Waits until a process has printed a text, on any of its streams. */
export async function printed(client: WireClient, processId: string, text: string): Promise<void> {
  const has = () =>
    Buffer.concat(
      client.notes
        .filter(
          ({ method, params }) => method === "process/output" && params.processId === processId,
        )
        .map(({ params }) => Buffer.from(params.chunk ?? "", "base64")),
    ).includes(text);
  await client.waitNote("process/output", has);
}
