/** MCP's own conformance suite against a server on our transport, bare and behind `writ confine`. */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { WRIT, writEnv } from "./support/drive-codex.ts";
import { layOutMcp } from "./support/drive-mcp.ts";
import { httpFront } from "./support/http-front.ts";
import { mcpPackage } from "./support/install-mcp.ts";

const run = promisify(execFile);
const SUITE = path.join(mcpPackage("conformance"), "dist/index.js");
const SERVER = [process.execPath, path.join(import.meta.dirname, "support/conformance-server.ts")];

const HOST = path.join(import.meta.dirname, "support/conformance-host.ts");

/** Scenarios that are not held against us, by how they begin, each for its reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "server-sse-polling":
    "about streams of HTTP: our servers use the standard ones, HTTP is the test's",
  "server-sse-multiple-streams": "about streams of HTTP, as above",
  "dns-rebinding-protection": "about the headers of HTTP, as above",
  "elicitation-sep1034-client-defaults": "our host asks nobody, and says so in its capabilities",
  "auth/": "our host sends the token that its user configured, and asks no server for one",
};

/** Checks that a busy machine fails. */
const BY_THE_CLOCK = ["client-sse-retry-timing"];

async function suite(...args: readonly string[]): Promise<string> {
  const said = await run(process.execPath, [SUITE, ...args]).catch((failed) => failed);
  return `${said.stdout}${said.stderr}`;
}

/** The scenarios of the suite for one side, as it lists them itself. */
async function scenarios(side: "Server" | "Client"): Promise<string[]> {
  const listed = (await suite("list")).split("\n\n").find((part) => part.startsWith(side)) ?? "";
  const names = [...listed.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name ?? "");
  return names.filter((name) => !Object.keys(EXCEPTIONS).some((one) => name.startsWith(one)));
}

/** The names of the checks that came out in some way. */
function checksIn(said: string, status: "SUCCESS" | "FAILURE"): string[] {
  const checks = said.matchAll(/\[([\w-]+) *\] \S*(SUCCESS|FAILURE|WARNING)/g);
  return [...checks]
    .filter(([, name = "", how]) => how === status && !BY_THE_CLOCK.includes(name))
    .map(([, name = ""]) => name);
}

function expectToPass(said: string): void {
  expect(checksIn(said, "FAILURE"), said).toEqual([]);
  expect(checksIn(said, "SUCCESS"), said).not.toEqual([]);
}

const [ofServers, ofHosts] = [await scenarios("Server"), await scenarios("Client")];

describe.each([
  ["a server on our transport", []],
  ["a server behind writ confine", [WRIT, "confine", "--sandbox", "read-only", "--"]],
])("%s", (_, wrapper) => {
  it.each(ofServers)("conforms in %s", async (scenario) => {
    const place = layOutMcp();
    const argv = [...wrapper, ...SERVER];
    const url = await httpFront({ argv, cwd: place.workspace, env: writEnv(place) });
    expectToPass(await suite("server", "--url", url, "--scenario", scenario));
  });
});

describe("our host", () => {
  it.each(ofHosts)("conforms in %s", async (scenario) => {
    const command = `${process.execPath} ${HOST}`;
    expectToPass(await suite("client", "--command", command, "--scenario", scenario));
  });
});

describe("the suite", () => {
  it("has many more scenarios than those excepted", () => {
    expect([ofServers.length, ofHosts.length]).toEqual([29, 3]);
  });
});
