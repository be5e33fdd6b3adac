/** Cases 78-81 and F11: the network of a command, and the executor's own listeners seen from inside. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { placeFor, USERS } from "../support/sandbox-user.ts";
import { sharedLab, socketLink, startLab, uri } from "./support/exec-lab.ts";
import { WireClient } from "./support/wire-client.ts";
import { entry, intent, ROADS, runUnder, workspaceWrite } from "./support/wire-intent.ts";

const TOKEN = "a-token-of-this-test";

/** Connects with what every host has; prints one word. */
const connect = (target: string) => `exec node -e '
  const s = require("net").connect(${target});
  s.on("connect", () => { console.log("connected"); process.exit(); });
  s.on("error", ({ code }) => { console.log(code); process.exit(); });'`;
const withNode = { env: { PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin` } };
const enabled = (workspace: string, writ?: object) => {
  const { permissions, ...more } = workspaceWrite([workspace]);
  return {
    ...more,
    permissions: { ...(permissions as object), network: "enabled", ...(writ && { writ }) },
  };
};

describe.each(ROADS)("over $over as $user", ({ over, user }) => {
  const lab = sharedLab({ over, user });

  it("78 F11 a command without network does not reach the host's ports, nor that of the executor", async () => {
    const { place, url } = lab();
    const port = url === "" ? "1" : new URL(url).port;
    const sandbox = workspaceWrite([place.workspace]);
    const told = await runUnder(await lab().client(), place, {
      script: connect(port),
      sandbox,
      ...withNode,
    });
    expect(told).toMatchObject({
      stdout: expect.stringMatching(/^(ECONNREFUSED|EPERM|ENETUNREACH)\n$/),
    });
  });

  it.each([
    ["enforceManagedNetwork", true],
    ["managedNetwork", { loopbackPorts: [8080] }],
    ["networkProxy", { proxy: { enabled: true, mode: "limited" } }],
    ["networkProxy", { proxy: { enabled: false } }],
    ["networkProxy", { proxy: { enabled: true }, policyDecisionTimeoutMs: 1000 }],
    ["shellSnapshot", { scopeId: "s", shell: { name: "sh", path: "/bin/sh" } }],
  ])(
    "79 80 81 refuses %s by name, with and without a sandbox, and nothing runs",
    async (field, value) => {
      const { place } = lab();
      const client = await lab().client();
      for (const sandbox of [workspaceWrite([place.workspace]), null]) {
        const told = await runUnder(client, place, {
          script: "touch ran-79",
          sandbox,
          [field]: value,
        });
        expect(told).toMatchObject({
          code: -32602,
          message: expect.stringContaining(field),
          data: { field },
        });
      }
      expect(fs.existsSync(path.join(place.workspace, "ran-79"))).toBe(false);
    },
  );

  it("79 a proxy among the command's variables opens nothing", async () => {
    const { place, url } = lab();
    const port = url === "" ? "1" : new URL(url).port;
    const proxy = `http://127.0.0.1:${port}`;
    const env = { ...withNode.env, HTTP_PROXY: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy };
    const sandbox = workspaceWrite([place.workspace]);
    const told = await runUnder(await lab().client(), place, {
      script: connect(port),
      sandbox,
      env,
    });
    expect(told).toMatchObject({ stdout: expect.not.stringContaining("connected") });
  });
});

describe.each(USERS)("as %s", (user) => {
  it("78 STRICTER refuses an open network where the listener asks nobody who they are", async () => {
    const lab = await startLab({ user });
    const client = await lab.open();
    const { workspace } = lab.place;
    for (const sandbox of [enabled(workspace), intent({ type: "external", network: "enabled" })]) {
      const told = await runUnder(client, lab.place, { script: "touch ran-78", sandbox });
      expect(told).toMatchObject({ code: -32602, data: { field: "sandbox.permissions.network" } });
      expect(told).toHaveProperty("message", expect.stringContaining("--ws-auth"));
    }
    expect(fs.existsSync(path.join(workspace, "ran-78"))).toBe(false);
  });

  it("78 opens it over stdio, where a command could not come back", async () => {
    const lab = await startLab({ user, over: "stdio" });
    const script = "readlink /proc/self/ns/net";
    const told = await runUnder(await lab.open(), lab.place, {
      script,
      sandbox: enabled(lab.place.workspace),
    });
    expect(told).toMatchObject({
      sandboxType: "linuxSeccomp",
      stdout: `${fs.readlinkSync("/proc/self/ns/net")}\n`,
    });
  });

  it("78 F11 with auth the network opens, and the token file stays hidden", async () => {
    const place = placeFor(user);
    const file = path.join(place.outside, "token");
    fs.writeFileSync(file, `${TOKEN}\n`, { mode: 0o600 });
    const { uid, gid } = fs.statSync(place.outside);
    fs.chownSync(file, uid, gid);
    const flags = ["--ws-auth", "capability-token", "--ws-token-file", file];
    const lab = await startLab({ user, place, flags });
    const client = new WireClient(await socketLink(lab.url, { authorization: `Bearer ${TOKEN}` }));
    await client.open();
    const script = `cat ${file}; ${connect(new URL(lab.url).port)}`;
    const told = await runUnder(client, place, {
      script,
      sandbox: enabled(place.workspace),
      ...withNode,
    });
    expect(told).toMatchObject({ stdout: "connected\n" });
    const read = {
      path: uri(file),
      sandbox: { ...enabled(place.workspace), cwd: uri(place.workspace) },
    };
    expect((await client.tryCall("fs/readFile", read)).error).toBeDefined();
  });

  it.each(["none", "private", "host"])(
    "F11 the socket file of the executor is out of reach with unix sockets %s",
    async (sockets) => {
      const place = placeFor(user);
      const socket = path.join(place.workspace, "exec.sock");
      const lab = await startLab({ user, place, listen: `unix://${socket}` });
      const client = new WireClient(await socketLink(`ws+unix://${socket}:/`));
      await client.open();
      const folder = entry(place.workspace, "write");
      const writ = { unixSockets: sockets };
      for (const network of ["restricted", "enabled"]) {
        const { permissions, ...more } = workspaceWrite([place.workspace], [folder]);
        const sandbox = { ...more, permissions: { ...(permissions as object), network, writ } };
        const script = `mv exec.sock moved; ln exec.sock linked; rm exec.sock; ${connect(`"${socket}"`)}`;
        const told = await runUnder(client, place, { script, sandbox, ...withNode });
        expect(told).toMatchObject({
          stdout: expect.stringMatching(/^(ECONNREFUSED|EPERM|EACCES)\n$/),
        });
      }
      expect(fs.statSync(socket).isSocket()).toBe(true);
      expect(fs.readdirSync(place.workspace)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(moved|linked)$/)]),
      );
      expect(lab.errors()).toBe("");
    },
  );
});
