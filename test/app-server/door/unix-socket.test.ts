import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { RawWire } from "../../rpc/support/raw-wire.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { connectTo } from "./support/connect.ts";
import { plain, upgrade } from "./support/http.ts";
import { openDoor } from "./support/open-door.ts";

const modeOf = (file: string) => fs.statSync(file).mode & 0o777;

/** A socket file whose listener is gone. */
async function staleAt(file: string): Promise<void> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen({ path: file }, resolve));
  fs.linkSync(file, `${file}.kept`);
  await new Promise((resolve) => server.close(resolve));
  fs.renameSync(`${file}.kept`, file);
}

describe("a door on a socket file", () => {
  it("is in the folder of its own by default, for its owner alone, and gone afterwards", async () => {
    const { address, err, out, door, home, stop, status } = openDoor({ listen: "unix://" });
    const file = path.join(home, "app-server-control", "app-server-control.sock");
    expect(await address).toBe(`unix://${file}`);
    expect(err()).toBe(`writ app-server (unix socket)\n  listening on: unix://${file}\n`);
    expect(out()).toBe("");
    expect(modeOf(file)).toBe(0o600);
    expect(modeOf(path.dirname(file))).toBe(0o700);
    expect(door()).toMatchObject({ reachable: false, secrets: [file] });
    stop();
    expect(await status).toBe(0);
    expect(fs.readdirSync(path.dirname(file))).toEqual([]);
  });

  it("speaks WebSocket, and HTTP as a port does", async () => {
    const at = await openDoor({ listen: `unix://${temporaryFolder()}/s` }).address;
    const wire = new RawWire(await connectTo(at));
    expect(await wire.ask({ id: 1, method: "version" })).toMatchObject({ id: 1 });
    expect(await plain(at, "GET /healthz")).toEqual({ status: 200, body: "" });
    expect(await plain(at, "GET /")).toMatchObject({ status: 400 });
    expect(await upgrade(at, "Origin: http://a")).toEqual({ status: 403, body: "" });
  });

  it("replaces a socket that nobody listens on", async () => {
    const file = path.join(temporaryFolder(), "s");
    await staleAt(file);
    const wire = new RawWire(await connectTo(await openDoor({ listen: `unix://${file}` }).address));
    expect(await wire.ask({ id: 1, method: "version" })).toMatchObject({ id: 1 });
    expect(modeOf(file)).toBe(0o600);
  });

  it("leaves one that answers to who has it, with exit status 1", async () => {
    const file = path.join(temporaryFolder(), "s");
    const first = openDoor({ listen: `unix://${file}` });
    const at = await first.address;
    const second = openDoor({ listen: `unix://${file}` });
    expect(await second.status).toBe(1);
    expect(second.err()).toBe(
      `writ: Cannot listen on "${file}": another process is listening, expected a free path\n`,
    );
    expect(second.server.closed).toBe(1);
    const wire = new RawWire(await connectTo(at));
    expect(await wire.ask({ id: 1, method: "version" })).toMatchObject({ id: 1 });
  });

  it("does not touch a file that is no socket", async () => {
    const file = path.join(temporaryFolder(), "s");
    fs.writeFileSync(file, "mine");
    const { status, err } = openDoor({ listen: `unix://${file}` });
    expect(await status).toBe(1);
    expect(err()).toContain("the path is not a socket");
    expect(fs.readFileSync(file, "utf8")).toBe("mine");
  });

  it("makes no folder that somebody else named", async () => {
    const folder = path.join(temporaryFolder(), "none");
    const { status, err } = openDoor({ listen: `unix://${folder}/s` });
    expect(await status).toBe(1);
    expect(err()).toMatch(/^writ: Cannot listen on /);
    expect(fs.existsSync(folder)).toBe(false);
  });

  it("refuses a path that no socket can have", async () => {
    const { status, err } = openDoor({ listen: `unix:///tmp/${"x".repeat(120)}` });
    expect(await status).toBe(1);
    expect(err()).toMatch(/the path has 125 bytes, expected at most 10\d/);
  });
});
