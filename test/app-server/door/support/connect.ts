/** Clients of a door, over each way in. */
import { PassThrough } from "node:stream";
import { onTestFinished } from "vitest";
import {
  connectWebSocket,
  createLineTransport,
  createMemoryPair,
  type Transport,
} from "../../../../src/rpc/index.ts";
import { openDoor, openPort } from "./open-door.ts";
import type { StandInServer } from "./stand-in-server.ts";

/** Connects to an address as the banner has it. */
export async function connectTo(
  address: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Transport> {
  const at = address.startsWith("unix://")
    ? ({ kind: "unix", path: address.slice("unix://".length) } as const)
    : ({ kind: "url", url: address } as const);
  const transport = await connectWebSocket(at, { headers, maxMessageBytes: 128 * 1024 * 1024 });
  onTestFinished(() => transport.close());
  return transport;
}

/** Every way in, each with a server of its own behind it. */
export const WAYS: Readonly<Record<string, (server: StandInServer) => Promise<Transport>>> = {
  stdio: async (server) => {
    const { input, output } = openDoor({}, { server });
    const [there, back] = [new PassThrough(), new PassThrough()];
    there.pipe(input);
    output.pipe(back);
    return createLineTransport({ input: back, output: there });
  },
  ws: async (server) => connectTo(await openPort({}, { server }).address),
  unix: async (server) => connectTo(await openDoor({ listen: "unix://" }, { server }).address),
};

/** A connection without a door, whose sender feels at once what is not read. */
export function connectInMemory(server: StandInServer): Transport {
  const [near, far] = createMemoryPair();
  server.accept(far);
  return near;
}
