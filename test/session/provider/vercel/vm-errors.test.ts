/** What the service answers, and what becomes of it. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import path from "node:path";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { loadSdk } from "../../../../src/session/provider/vercel/load-sdk.ts";
import { NEVER, wordsOf } from "../support/sandbox-of.ts";
import { refuse, SECRET_TEXT, type TwinRequest } from "./twin/twin-request.ts";
import { ACCOUNT, vercelLab, vmIntentIn } from "./twin/vercel-lab.ts";
import type { TwinFault } from "./twin/vercel-twin.ts";

const { filesUnder, sandboxOf, scriptOf } = wordsOf(vmIntentIn);
const codeOf = (code: string) => ({ name: "SessionError", code });
const as = (thread: string) => ({ thread, signal: NEVER });

/** Answers requests to a path that ends so in a test's own way. */
function on(
  end: string,
  answer: (response: ServerResponse, request: TwinRequest) => void,
): TwinFault {
  return (request, response) => {
    if (!request.path.endsWith(end)) return undefined;
    answer(response, request);
    return "answered";
  };
}

/** A sandbox whose firewall is held, so that the next request is the one that is meant. */
async function aSandbox() {
  const lab = await vercelLab();
  const sandbox = await sandboxOf(lab.provider, lab.workspace);
  await sandbox.listDir(".", filesUnder(lab.workspace));
  lab.twin.requests.length = 0;
  const run = (script = "true") => sandbox.runCommand(scriptOf(script, lab.workspace));
  return { ...lab, sandbox, run, under: filesUnder(lab.workspace) };
}

const ANSWERS: readonly [status: number, code: string, begun: string, looked: string][] = [
  [400, "bad_request", "invalidInput", "invalidInput"],
  [401, "unauthorized", "unavailable", "unavailable"],
  [403, "forbidden", "unavailable", "unavailable"],
  [404, "not_found", "missing", "missing"],
  [409, "conflict", "unavailable", "unavailable"],
  [410, "sandbox_stopped", "stopped", "stopped"],
  [410, "anything", "stopped", "stopped"],
  [410, "snapshot_not_found", "snapshotMissing", "snapshotMissing"],
  [422, "sandbox_stopping", "stopping", "stopping"],
  [422, "sandbox_snapshotting", "snapshotting", "snapshotting"],
  [429, "rate_limited", "unavailable", "unavailable"],
  [500, "internal", "interrupted", "unavailable"],
  [503, "internal", "interrupted", "unavailable"],
];

describe("an answer of the service", () => {
  it.each(ANSWERS)(
    "%i %s is %s for a command and %s for a look, and is not asked for again",
    async (status, code, begun, looked) => {
      const { twin, sandbox, run, under } = await aSandbox();
      twin.fault = on("/cmd", (response) => refuse(response, status, code));
      await expect(run()).rejects.toMatchObject(codeOf(begun));
      expect(twin.sent("/cmd")).toHaveLength(1);
      await expect(sandbox.readFileToBuffer("a", under)).rejects.toMatchObject(codeOf(looked));
      await expect(sandbox.mkDir("a", under)).rejects.toMatchObject(codeOf(begun));
      expect(twin.sent("/cmd")).toHaveLength(3);
    },
  );

  it.each(ANSWERS)(
    "%i %s shows nothing of itself, of its address or of the token (D10)",
    async (status, code) => {
      const { twin, run } = await aSandbox();
      twin.fault = on("/cmd", (response) => refuse(response, status, code));
      const error = await run().catch((caught: unknown) => caught);
      expect(error).toMatchObject({
        message: expect.not.stringMatching(/https?:|secret|vercel\.com/),
      });
      expect(error).toMatchObject({ message: expect.not.stringContaining(SECRET_TEXT) });
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(ACCOUNT.token);
    },
  );

  it("does not decide by its text, which says that something exists (D11)", async () => {
    const { twin, sandbox, under } = await aSandbox();
    twin.fault = on("/cmd", (response) => refuse(response, 400, "bad_request"));
    await expect(sandbox.mkDir("a", under)).rejects.toMatchObject(codeOf("invalidInput"));
  });

  it.each([401, 403, 429, 500, 502, 503])(
    "is not called missing where a VM is looked for and it is %i (D9)",
    async (status) => {
      const { twin, provider, sandbox } = await aSandbox();
      const name = sandbox.id.split("@")[0] ?? "";
      twin.fault = on(name, (response) => refuse(response, status, "not_found"));
      const unavailable = codeOf("unavailable");
      await expect(provider.get(sandbox.id, as("thread-1"))).rejects.toMatchObject(unavailable);
      await expect(sandbox.probe(NEVER)).rejects.toMatchObject(unavailable);
      expect(twin.requests).toHaveLength(2);
    },
  );

  it.each([
    [404, "missing"],
    [410, "stopped"],
  ])("is known to be over where it is %i", async (status, code) => {
    const { twin, provider, sandbox } = await aSandbox();
    const name = sandbox.id.split("@")[0] ?? "";
    twin.fault = on(name, (response) => refuse(response, status, "any"));
    await expect(provider.get(sandbox.id, as("thread-1"))).rejects.toMatchObject(codeOf(code));
  });

  it.each(["stopping", "snapshotting", "stopped"] as const)(
    "is told by its status where a VM is %s",
    async (status) => {
      const { twin, sandbox } = await aSandbox();
      for (const vm of twin.vms) vm.status = status;
      await expect(sandbox.probe(NEVER)).rejects.toMatchObject(codeOf(status));
      for (const vm of twin.vms) vm.status = "running";
    },
  );
});

describe("a file that cannot be read", () => {
  const json = { "content-type": "application/json" };

  it.each<[string, (response: ServerResponse) => void, string]>([
    ["is over with its VM", (response) => refuse(response, 410, "sandbox_stopped"), "stopped"],
    ["is not there for the service alone", (response) => refuse(response, 404, "x"), "unavailable"],
    ["fails", (response) => refuse(response, 500, "internal"), "unavailable"],
    ["is another thing", (response) => void response.writeHead(200, json).end("{}"), "unavailable"],
    ["is cut", (response) => cutFile(response), "unavailable"],
  ])("is no content and not absent where it %s (D7)", async (_, answer, code) => {
    const { twin, sandbox, under, workspace } = await aSandbox();
    writeFileSync(path.join(workspace, "file"), "content");
    twin.fault = on("/fs/read", answer);
    await expect(sandbox.readFileToBuffer("file", under)).rejects.toMatchObject(codeOf(code));
    expect(twin.sent("/fs/read")).toHaveLength(1);
  });
});

function cutFile(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/octet-stream", "content-length": "100" });
  response.write("half", () => response.destroy());
}

describe("a command whose answer breaks off", () => {
  const begin = (response: ServerResponse, ...lines: string[]) => {
    const command = { id: "cmd_1", name: "sh", args: [], cwd: "/", sessionId: "s", startedAt: 1 };
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    const first = JSON.stringify({ command: { ...command, exitCode: null } });
    response.write([first, '{"stream":"stdout","data":"some\\n"}', ...lines, ""].join("\n"));
  };

  it.each<[string, (response: ServerResponse) => void]>([
    [
      "ends early",
      (response) => {
        begin(response);
        response.end();
      },
    ],
    [
      "is cut",
      (response) => {
        begin(response);
        setImmediate(() => response.destroy());
      },
    ],
    [
      "says that the VM was stopped",
      (response) => {
        begin(response, '{"stream":"error","data":{"code":"sandbox_stopped","message":"m"}}');
        response.end();
      },
    ],
    [
      "is no answer",
      (response) => {
        begin(response, "nonsense");
        response.end();
      },
    ],
    [
      "ends within its last line",
      (response) => {
        begin(response, '{"command":{"id"');
        response.end();
      },
    ],
  ])("is interrupted and not sent again where it %s (case 35)", async (_, answer) => {
    const { twin, run, receipts } = await aSandbox();
    twin.fault = on("/cmd", answer);
    const command = await run();
    let printed = "";
    const reading = (async () => {
      for await (const { chunk } of command.output) printed += Buffer.from(chunk).toString();
    })();
    await expect(reading).rejects.toMatchObject(codeOf("interrupted"));
    await expect(command.ended).rejects.toMatchObject(codeOf("interrupted"));
    expect(printed).toBe("some\n");
    expect(twin.sent("/cmd")).toHaveLength(1);
    expect(receipts.list({}).map(({ outcome }) => outcome.kind)).toEqual(["unknown"]);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ["never comes", (response) => void response.socket?.destroy()],
    [
      "is empty",
      (response) => void response.writeHead(200, { "content-type": "application/x-ndjson" }).end(),
    ],
    [
      "is of another kind",
      (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
    ],
  ])("is interrupted and not sent again where it %s", async (_, answer) => {
    const { twin, run, receipts } = await aSandbox();
    twin.fault = on("/cmd", answer);
    await expect(run()).rejects.toMatchObject(codeOf("interrupted"));
    expect(twin.sent("/cmd")).toHaveLength(1);
    expect(receipts.list({}).map(({ outcome }) => outcome.kind)).toEqual(["unknown"]);
  });

  it("runs nothing twice where the command began and its answer was lost", async () => {
    const { twin, run, workspace } = await aSandbox();
    twin.fault = (request, response) => {
      if (request.path.endsWith("/cmd")) response.socket?.destroy();
      return undefined;
    };
    await expect(run("echo ran >> ran")).rejects.toMatchObject(codeOf("interrupted"));
    const ran = path.join(workspace, "ran");
    await expect
      .poll(() => existsSync(ran) && readFileSync(ran, "utf8"), { timeout: 30_000 })
      .toBe("ran\n");
    expect(twin.sent("/cmd")).toHaveLength(1);
  });

  it("would be sent again by the SDK alone", async () => {
    const { twin } = await aSandbox();
    const { sdk } = await loadSdk();
    const vm = await sdk.Sandbox.create({ ...ACCOUNT, ...RAW, fetch: twin.fetch });
    twin.fault = on("/cmd", (response) => refuse(response, 503, "internal"));
    await expect(vm.currentSession().runCommand("true")).rejects.toThrow("503");
    expect(twin.sent("/cmd").length).toBeGreaterThan(1);
  });
});

const RAW = {
  name: "raw",
  timeout: 1000,
  tags: {},
  persistent: false,
  networkPolicy: "deny-all",
} as const;
