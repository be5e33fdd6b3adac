/** A server on our transport with all that MCP's conformance suite wants to see, over standard streams. */
import { setTimeout as sleep } from "node:timers/promises";
import { type CallToolResult, Server, type ServerContext } from "@modelcontextprotocol/server";
import { advertise, stdioTransport } from "../../../src/mcp/index.ts";
import { ENUMS, JSON_SCHEMA, PROMPTS, resourceAt, WITH_DEFAULTS } from "./conformance-texts.ts";

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const SOUND = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

const text = (words: string) => ({ type: "text" as const, text: words });
const image = { type: "image" as const, data: PIXEL, mimeType: "image/png" };
const resource = (uri: string, mimeType: string, words: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType, text: words },
});

type Context = ServerContext["mcpReq"];
type Tool = (
  context: Context,
  args: Readonly<Record<string, unknown>>,
) => Promise<CallToolResult["content"]>;

async function elicit({ elicitInput }: Context, message: string, requestedSchema: object) {
  const { action, content } = await elicitInput({ message, requestedSchema } as never);
  return [text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)];
}

const TOOLS: Readonly<Record<string, Tool>> = {
  test_simple_text: async () => [text("This is a simple text response for testing.")],
  test_image_content: async () => [image],
  test_audio_content: async () => [{ type: "audio", data: SOUND, mimeType: "audio/wav" }],
  test_embedded_resource: async () => [
    resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
  ],
  test_multiple_content_types: async () => [
    text("Multiple content types test:"),
    image,
    resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
  ],
  test_error_handling: async () => {
    throw new Error("This tool intentionally returns an error for testing");
  },
  async test_tool_with_logging({ log }) {
    for (const step of ["Tool execution started", "Tool processing data"]) {
      await log("info", step);
      await sleep(50);
    }
    await log("info", "Tool execution completed");
    return [text("logged")];
  },
  async test_tool_with_progress({ _meta, notify }) {
    const progressToken = _meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken === undefined) break;
      const params = { progressToken, progress, total: 100 };
      await notify({ method: "notifications/progress", params });
      await sleep(50);
    }
    return [text("done")];
  },
  async test_sampling({ requestSampling }, { prompt }) {
    const messages = [{ role: "user" as const, content: text(String(prompt)) }];
    const { content } = await requestSampling({ messages, maxTokens: 100 });
    return [text(`LLM response: ${JSON.stringify(content)}`)];
  },
  async test_elicitation(context, { message }) {
    const properties = { username: { type: "string" }, email: { type: "string" } };
    const required = ["username", "email"];
    return elicit(context, String(message), { type: "object", properties, required });
  },
  test_elicitation_sep1034_defaults: (context) => elicit(context, "Defaults", WITH_DEFAULTS),
  test_elicitation_sep1330_enums: (context) => elicit(context, "Choices", ENUMS),
  json_schema_2020_12_tool: async () => [text("fine")],
};

function serve(): Server {
  const capabilities = {
    ...advertise(),
    tools: {},
    resources: { subscribe: true },
    prompts: {},
    completions: {},
    logging: {},
  };
  const server = new Server({ name: "conformance", version: "1" }, { capabilities });
  const anything = { type: "object" as const };
  server.setRequestHandler("tools/list", () => ({
    tools: Object.keys(TOOLS).map((name) => ({
      name,
      description: `The tool ${name}`,
      inputSchema: name.startsWith("json_schema") ? JSON_SCHEMA : anything,
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const tool = TOOLS[params.name];
    try {
      if (tool === undefined) throw new Error(`Unknown tool "${params.name}"`);
      return { content: await tool(mcpReq, params.arguments ?? {}) };
    } catch (error) {
      return { isError: true, content: [text(error instanceof Error ? error.message : "failed")] };
    }
  });
  serveTexts(server);
  return server;
}

function serveTexts(server: Server): void {
  const blob = { uri: "test://static-binary", mimeType: "image/png", blob: PIXEL };
  server.setRequestHandler("resources/list", () => ({
    resources: ["test://static-text", "test://static-binary", "test://watched-resource"].map(
      (uri) => ({ uri, name: uri, description: `The resource ${uri}` }),
    ),
  }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template" }],
  }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => ({
    contents: [uri === blob.uri ? blob : resourceAt(uri)],
  }));
  server.setRequestHandler("resources/subscribe", () => ({}));
  server.setRequestHandler("resources/unsubscribe", () => ({}));
  server.setRequestHandler("prompts/list", () => ({ prompts: PROMPTS.list }));
  server.setRequestHandler("prompts/get", ({ params: { name, arguments: args = {} } }) => {
    const words = PROMPTS.messages(name, args, image);
    return { messages: words.map((content) => ({ role: "user" as const, content })) };
  });
  server.setRequestHandler("completion/complete", () => ({
    completion: { values: ["paris", "park"], total: 2, hasMore: false },
  }));
}

const transport = stdioTransport();
await serve().connect(transport);
transport.closed.then(() => process.exit(0));
