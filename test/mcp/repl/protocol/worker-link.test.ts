import { describe, expect, it } from "vitest";
import { lineOf, WorkerLink } from "../../../../src/mcp/repl/protocol/worker-link.ts";

const GREETING = {
  type: "worker_ready",
  protocol: { name: "mcp-repl-worker", version: 6 },
  worker: { name: "w", version: "1" },
  capabilities: { images: true },
};
const READY = { type: "ready" };
const text = (data: string) => ({ type: "output_text", stream: "stdout", data_b64: data });

/** A link, and what it told of. */
function link(hasFrames = false) {
  const told: unknown[][] = [];
  const note =
    (name: string) =>
    (...rest: unknown[]) =>
      void told.push([
        name,
        ...rest.map((one) => (one instanceof Uint8Array ? Buffer.from(one).toString() : one)),
      ]);
  const one = new WorkerLink(
    {
      greets: note("greets"),
      text: note("text"),
      image: ({ data, ...rest }) => void told.push(["image", { ...rest, data: String(data) }]),
      line: note("line"),
      waits: note("waits"),
      ends: note("ends"),
      broke: note("broke"),
    },
    hasFrames,
  );
  const hear = (...messages: (object | string)[]) => {
    for (const message of messages) {
      const line = typeof message === "string" ? message : JSON.stringify(message);
      one.hear(Buffer.from(`${line}\n`));
    }
  };
  return { one, told, hear };
}

describe("a WorkerLink", () => {
  it("tells what a worker says, in its order", () => {
    const { told, hear } = link();
    const image = { type: "output_image", mime_type: "image/png", data_b64: "cA==" };
    hear(GREETING, text("YQ=="), { ...text("Yg=="), stream: "stderr", is_continuation: true });
    hear({ ...image, is_update: false }, { ...image, is_update: true, source: "1" }, READY);
    hear({ type: "input_line", prompt: "> ", text: "x" }, { type: "input_wait", prompt: "n: " });
    hear({ type: "session_end", reason: "runtime_exit", message: "exit 7" });
    const png = { mimeType: "image/png", data: "p" };
    expect(told).toEqual([
      ["greets"],
      ["text", "a", "stdout"],
      ["text", "b", "stderr"],
      ["image", { ...png, isUpdate: false, source: undefined }],
      ["image", { ...png, isUpdate: true, source: "1" }],
      ["waits", undefined],
      ["line", "> ", "x"],
      ["waits", "n: "],
      ["ends", "exit 7"],
    ]);
  });

  it("reads lines however they are cut", () => {
    const { one, told } = link();
    const bytes = Buffer.from(`${JSON.stringify(GREETING)}\n${JSON.stringify(READY)}\n`);
    for (const byte of bytes) one.hear(Buffer.of(byte));
    expect(told).toEqual([["greets"], ["waits", undefined]]);
  });

  it("takes text as bytes from a worker that was told to send them, however they are cut", () => {
    const head = '{"type":"output_bytes","stream":"stderr","length":7}\n';
    const said = `${JSON.stringify(GREETING)}\n${head}a\u001f{\u001f"}x${JSON.stringify(READY)}\n`;
    for (const size of [1, 2, 3, 7, 64, 1000]) {
      const { one, told } = link(true);
      const bytes = Buffer.from(said);
      for (let at = 0; at < bytes.length; at += size) one.hear(bytes.subarray(at, at + size));
      const texts = told.filter(([name]) => name === "text");
      expect(texts.map(([, part]) => part).join("")).toBe('a\n{\n"}x');
      expect(texts.every(([, , stream]) => stream === "stderr")).toBe(true);
      expect([told[0], told.at(-1)]).toEqual([["greets"], ["waits", undefined]]);
    }
  });

  it.each([
    ["from a worker of somebody else", false, '"stream":"stdout","length":1'],
    ["of no length", true, '"stream":"stdout","length":0'],
    ["of more than a worker sends", true, '"stream":"stdout","length":10000000'],
    ["of another stream", true, '"stream":"raw","length":1'],
    ["with a member more", true, '"stream":"stdout","length":1,"x":1'],
  ])("breaks where text comes as bytes %s", (_, hasFrames, members) => {
    const { told, hear } = link(hasFrames);
    hear(GREETING, `{"type":"output_bytes",${members}}`, "a", READY);
    expect(told.map(([name]) => name)).toEqual(["greets", "broke"]);
  });

  it("hands input only to a worker that takes it, and once", () => {
    const { one, hear } = link();
    expect(() => one.input("x")).toThrow(/worker that is new, expected one that waits/);
    hear(GREETING);
    expect(() => one.input("x")).toThrow(/starting/);
    hear(READY);
    expect(one.input("a\nb")).toBe('{"type":"input_batch","input":"a\\nb"}\n');
    expect(() => one.input("x")).toThrow(/busy/);
    hear({ type: "input_wait", prompt: "" });
    expect(one.input("")).toBe('{"type":"input_batch","input":""}\n');
  });

  it.each([
    ["no greeting", [READY]],
    ["a second greeting", [GREETING, GREETING]],
    ["another version", [{ ...GREETING, protocol: { name: "mcp-repl-worker", version: 5 } }]],
    ["another protocol", [{ ...GREETING, protocol: { name: "other", version: 6 } }]],
    ["no version of itself", [{ ...GREETING, worker: { name: "w" } }]],
    ["a capability that is not there", [{ ...GREETING, capabilities: { images: true, x: 1 } }]],
    ["a type that is not there", [GREETING, { type: "completed" }]],
    ["no type", [GREETING, {}]],
    ["a member that is not there", [GREETING, { ...READY, status: 0 }]],
    ["a prompt that is no text", [GREETING, { type: "input_wait", prompt: null }]],
    ["no prompt", [GREETING, { type: "input_wait" }]],
    ["another stream", [GREETING, { ...text("YQ=="), stream: "log" }]],
    ["base64 that is none", [GREETING, text("a*")]],
    ["base64 that is cut", [GREETING, text("YQ")]],
    ["a reason that is not there", [GREETING, { type: "session_end", reason: "bored" }]],
    ["no JSON", [GREETING, "ready"]],
    ["a list", [GREETING, "[]"]],
    ["a member twice", [GREETING, '{"type":"ready","type":"ready"}']],
    ["too many values", [GREETING, `{"type":"ready","x":[${"1,".repeat(80)}1]}`]],
  ])("breaks with a worker that sends %s, and hears nothing after it", (_, messages) => {
    const { told, hear } = link();
    hear(...messages, READY, text("YQ=="));
    expect(told.at(-1)).toEqual(["broke", expect.stringMatching(/./)]);
    expect(told.filter(([name]) => name === "broke")).toHaveLength(1);
  });

  it("breaks with a worker that sends what is no text, or a line without an end", () => {
    const first = link();
    first.one.hear(Buffer.from([0xff, 0x0a]));
    const second = link();
    for (let sent = 0; sent < 40; sent += 1) second.one.hear(Buffer.alloc(1 << 20, "x"));
    second.one.hear(Buffer.from("\n"));
    for (const { told } of [first, second]) expect(told).toEqual([["broke", expect.any(String)]]);
  });

  it("breaks with a worker that prints before it has said what it speaks", () => {
    const { told, hear } = link();
    hear(text("YQ=="), GREETING);
    expect(told).toEqual([["broke", 'it sent "output_text" first']]);
  });

  it("takes an image of some megabytes", () => {
    const { told, hear } = link();
    const data = Buffer.alloc(8 << 20, 7).toString("base64");
    hear(GREETING, {
      ...{ type: "output_image", mime_type: "image/png" },
      ...{ data_b64: data, is_update: false },
    });
    expect(told.map(([name]) => name)).toEqual(["greets", "image"]);
  });

  it("hears nothing after the last word of a worker", () => {
    const { told, hear } = link();
    hear(GREETING, { type: "session_end" }, text("YQ=="), READY, "nonsense");
    expect(told).toEqual([["greets"], ["ends", undefined]]);
  });

  it("has three words for a worker, each on a line", () => {
    expect(lineOf({ type: "interrupt" })).toBe('{"type":"interrupt"}\n');
    expect(lineOf({ type: "shutdown" })).toBe('{"type":"shutdown"}\n');
  });
});
