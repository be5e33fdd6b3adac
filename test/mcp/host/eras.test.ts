import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { describe, expect, it } from "vitest";
import { McpConnection } from "../../../src/mcp/host/mcp-connection.ts";
import { readMetaState } from "../../../src/mcp/index.ts";
import { ScriptedProcess } from "../process/support/scripted-process.ts";
import { DONE, optionsFor, STDIO } from "./support/raw-server.ts";
import { sandboxIn } from "./support/sandboxes.ts";
import { lookServer, ProcessEnd } from "./support/sdk-servers.ts";

const call = { name: "look" };

interface Served {
  readonly connection: McpConnection;
  readonly metas: unknown[];
  readonly methods: () => (string | undefined)[];
  readonly process: ScriptedProcess;
  toolsChanged: number;
}

function served(serve: (end: ProcessEnd, seen: (meta: unknown) => void) => unknown): Served {
  const process = new ScriptedProcess();
  const metas: unknown[] = [];
  const found: Served = {
    connection: new McpConnection({
      ...optionsFor(STDIO),
      executor: {
        start: async () => {
          await serve(new ProcessEnd(process), (meta) => metas.push(meta));
          return process;
        },
      },
      toolsChanged: () => {
        found.toolsChanged += 1;
      },
    }),
    metas,
    methods: () => process.written.map((line) => JSON.parse(line).method),
    process,
    toolsChanged: 0,
  };
  return found;
}

describe("a server of 2026-07-28", () => {
  const modern = (capabilities?: object) =>
    served((transport, seen) =>
      serveStdio(() => lookServer(seen, capabilities), { transport, legacy: "reject" }),
    );

  it("is met without initialize, asks for the state and gets it", async () => {
    const { connection, metas, methods } = modern();
    expect(await connection.listTools()).toMatchObject([{ name: "look" }]);
    const sandbox = () => sandboxIn("workspace-write", { ids: { callId: "c" } });
    await expect(connection.callForModel(call, sandbox)).resolves.toMatchObject(DONE);
    expect(methods()[0]).toBe("server/discover");
    expect(methods()).not.toContain("initialize");
    expect(readMetaState(metas[0])).toMatchObject({ kind: "state", state: { generation: "G4" } });
    await connection.close();
  });

  it("is not called for the model where it does not ask", async () => {
    const { connection, methods } = modern({});
    await expect(connection.callForModel(call, () => sandboxIn("read-only"))).rejects.toMatchObject(
      { code: "notOptedIn" },
    );
    await expect(connection.callForClient(call)).resolves.toMatchObject(DONE);
    expect(methods().filter((method) => method === "tools/call")).toHaveLength(1);
    await connection.close();
  });

  it("keeps the words of its era beside the state", async () => {
    const { connection, process } = modern();
    await connection.callForModel(call, () => sandboxIn("read-only"));
    const sent = process.written.map((line) => JSON.parse(line));
    const { params } = sent.find(({ method }) => method === "tools/call");
    expect(params._meta).toMatchObject({
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "codex/sandbox-state-meta": {},
    });
    await connection.close();
  });
});

describe("a server of the handshake", () => {
  it("is met by initialize after it did not know the newer word", async () => {
    const { connection, metas, methods } = served((end, seen) => lookServer(seen).connect(end));
    const result = connection.callForModel(call, () => sandboxIn("read-only"));
    await expect(result).resolves.toMatchObject(DONE);
    expect(methods()).toEqual([
      "server/discover",
      "initialize",
      "notifications/initialized",
      "tools/call",
    ]);
    expect(readMetaState(metas[0])).toMatchObject({ kind: "state" });
    await connection.close();
  });
});

describe("a server of either era", () => {
  it.each([
    ["2026-07-28", "reject"],
    ["the handshake", "serve"],
  ] as const)("of %s is heard when its tools change", async (_, legacy) => {
    let change = () => {};
    const found = served((transport, seen) => {
      const create = () => {
        const server = lookServer(seen);
        change = () => server.sendToolListChanged();
        return server;
      };
      return legacy === "reject"
        ? serveStdio(create, { transport, legacy })
        : create().connect(transport);
    });
    await found.connection.listTools();
    change();
    while (found.toolsChanged === 0) await new Promise((tick) => setImmediate(tick));
    expect(found.toolsChanged).toBe(1);
    await found.connection.close();
  });
});
