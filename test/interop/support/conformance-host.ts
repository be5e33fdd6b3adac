/** Our host as a program: connects to the server at the URL it is given and calls each of its tools. */
import { McpConnection } from "../../../src/mcp/index.ts";
import { uriOfNative } from "../../../src/policy/index.ts";

const TIMES = { startupTimeoutMs: 20_000, toolTimeoutMs: 20_000 };

const connection = new McpConnection({
  name: "conformance",
  config: { kind: "http", url: process.argv.at(-1) ?? "", sandbox: "inherit", ...TIMES },
  client: { name: "writ", version: "0.0.0" },
  cwd: uriOfNative("/"),
  env: {},
  executor: { start: () => Promise.reject(new Error("no program is to be started")) },
  confine: () => Promise.reject(new Error("nothing is to be confined")),
  stderr: () => {},
  toolsChanged: () => {},
});

for (const { name } of await connection.listTools()) {
  await connection.callForClient({ name, arguments: { a: 2, b: 3 } });
}
await connection.close();
