import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { openDoor } from "./support/open-door.ts";

const FLAGS = [{}, { listen: "stdio://" }];

describe.each(FLAGS)("a door on stdio, %j", (flags) => {
  it("answers a line with a line and ends with its input, with exit status 0", async () => {
    const { input, output, status, err, out, server } = openDoor(flags);
    input.write('{"id":1,"method":"version"}\n\n{"id":2,"method":"version"}');
    input.end();
    const lines: string[] = [];
    for await (const line of createInterface({ input: output })) lines.push(line);
    expect(lines).toEqual(['{"id":1,"result":{"version":1}}', '{"id":2,"result":{"version":1}}']);
    expect(await status).toBe(0);
    expect({ err: err(), out: out(), closed: server.closed }).toEqual({
      err: "",
      out: "",
      closed: 1,
    });
  });

  it("ends when it is told to, with exit status 0, though its input is open", async () => {
    const { input, stop, status, server } = openDoor(flags);
    input.write('{"id":1,"method":"hold","params":{"text":"a"}}\n');
    await new Promise(setImmediate);
    stop();
    server.release("a");
    expect(await status).toBe(0);
    expect(server.closed).toBe(1);
  });

  it("ends when nobody reads its output any more", async () => {
    const { output, status } = openDoor(flags);
    output.destroy(new Error("EPIPE"));
    expect(await status).toBe(0);
  });

  it("ends at a line past 128 MiB", async () => {
    const { input, status } = openDoor(flags);
    const part = Buffer.alloc(16 * 1024 * 1024, "x");
    for (let n = 0; n < 9 && !input.destroyed; n += 1) {
      if (!input.write(part)) await new Promise((go) => input.once("drain", go).once("close", go));
    }
    expect(await status).toBe(0);
  });
});

it("lets nobody in with off, and waits for a signal", async () => {
  const { status, stop, err, server } = openDoor({ listen: "off" });
  await new Promise(setImmediate);
  expect(err()).toBe("writ app-server (off)\n");
  stop();
  expect(await status).toBe(0);
  expect(server.peers).toEqual([]);
});
