/** The library for sockets looks for helpers that nobody installed; what lies where it looks must not be run. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";

const ROOT = path.resolve(import.meta.dirname, "../../..");

/** Runs a script with helpers in the home of its user; tells what it printed and whether they ran. */
function withHelpers(script: string) {
  const home = mkdtempSync("/var/tmp/writ-helpers-");
  onTestFinished(() => rmSync(home, { recursive: true }));
  const marks = ["bufferutil", "utf-8-validate"].map((name) => {
    const folder = path.join(home, ".node_modules", name);
    mkdirSync(folder, { recursive: true });
    const mark = path.join(home, `${name}-ran`);
    const text = `require("node:fs").writeFileSync(${JSON.stringify(mark)}, "");`;
    writeFileSync(path.join(folder, "index.js"), text);
    return mark;
  });
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: ROOT,
    env: { HOME: home },
    encoding: "utf8",
  });
  return { stdout, stderr, ran: marks.map((mark) => existsSync(mark)) };
}

it("runs no helper that lies in a folder of the user's, and tells nobody of it", () => {
  const loading = `
    import { loadWs } from "./src/rpc/transports/websocket/load-ws.ts";
    const [one, other] = await Promise.all([loadWs(), loadWs()]);
    console.log(typeof one.WebSocketServer, one === other, Object.keys(process.env).filter((name) => name.startsWith("WS_")));`;
  const { stdout, ran, stderr } = withHelpers(loading);
  expect({ stdout, ran }, stderr).toEqual({ stdout: "function true []\n", ran: [false, false] });
});

it("would run one if it were loaded as it is", () => {
  expect(withHelpers('await import("ws");').ran).toContain(true);
});
