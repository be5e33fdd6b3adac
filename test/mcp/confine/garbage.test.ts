import { describe, expect, it } from "vitest";
import { LineSplitter } from "../../../src/rpc/index.ts";
import { CoreDriver } from "./support/core-driver.ts";
import { A, metaOf } from "./support/states.ts";

const STATE = JSON.stringify(A);

/** A line of somebody who writes another encoding. */
function latin1(text: string) {
  const [line] = new LineSplitter(1 << 20).push(Buffer.from(`${text}\n`, "latin1"));
  if (line === undefined || line === "tooLong") throw new Error("Cannot test: no line");
  return line;
}

describe("what is handed on", () => {
  it("is the text of the client without the state", () => {
    const driver = new CoreDriver();
    const args =
      '{"z":12345678901234567890,"a":1.0,"10":1e2,"2":"\\ud800\\u0041\\/","n":{"_meta":{"codex/sandbox-state":1}}}';
    const text = `{ "jsonrpc":"2.0","method":"tools/call", "id":12345678901234567891,"params":{"arguments":${args},"_meta":{"x":9007199254740993, "codex\\/sandbox-state-meta":${STATE},"codex/sandbox-launcher":{"a":"}"},"progressToken":7,"dev.writ/receipt":[]},"name":"n"}}`;
    driver.say(text);
    expect(driver.servers.get(1)).toEqual([
      `{ "jsonrpc":"2.0","method":"tools/call", "id":12345678901234567891,"params":{"arguments":${args},"_meta":{"x":9007199254740993,"progressToken":7},"name":"n"}}`,
    ]);
  });

  it("is the very text where there is no state in it", () => {
    const driver = new CoreDriver();
    const text =
      '{"id" : 1,"method":"tools/list","params":{ "_meta" : {"a":1.50} } ,"jsonrpc":"2.0"}';
    driver.say(text);
    expect(driver.servers.get(1)).toEqual([text]);
  });

  it("has no state in it, whatever request brings one", () => {
    const driver = new CoreDriver();
    driver.say({ id: 1, method: "resources/list", params: { _meta: metaOf(A, { keep: 1 }) } });
    driver.say({ method: "notifications/progress", params: { _meta: metaOf(A) } });
    expect(driver.seen()).toMatchObject([
      { params: { _meta: { keep: 1 } } },
      { params: { _meta: {} } },
    ]);
    expect(driver.done).toEqual(["start 1 reception"]);
  });

  it("answers an id that no double holds as it was written", () => {
    const driver = new CoreDriver();
    driver.say('{"id":12345678901234567891,"method":"tools/call"}');
    expect(driver.client[0]).toContain('"id":12345678901234567891,');
  });
});

describe("a client's garbage", () => {
  const refused = (text: string) => {
    const driver = new CoreDriver();
    driver.say(text);
    expect(driver.done).toEqual([]);
    return driver.got();
  };

  it.each([
    ["no JSON", "hello", -32700],
    ["half a message", '{"id":1,"method":"tools/list"', -32700],
    ["a batch", '[{"id":1,"method":"tools/list"}]', -32600],
    ["a number", "5", -32600],
    ["an id that is null", '{"id":null,"method":"tools/list"}', -32600],
    ["an id that is an object", '{"id":{},"method":"tools/list"}', -32600],
    ["an endless id", '{"id":1e999,"method":"tools/list"}', -32600],
    ["a method that is no text", '{"id":1,"method":5}', -32600],
    ["neither method nor answer", '{"id":1}', -32600],
    ["an answer with two outcomes", '{"id":1,"result":{},"error":{}}', -32600],
    ["two methods", '{"id":1,"method":"tools/list","method":"tools/call"}', -32600],
    ["the name of a prototype", '{"id":1,"method":"tools/list","__proto__":{}}', -32600],
    ["a nesting without end", `{"id":1,"method":"x","params":${"[".repeat(9999)}`, -32600],
  ])("%s is refused", (_, text, code) => {
    expect(refused(text)).toMatchObject([{ id: null, error: { code } }]);
  });

  it("bytes that are no text are refused", () => {
    const driver = new CoreDriver();
    driver.run(driver.core.client({ kind: "malformed", reason: "the line is not UTF-8" }));
    expect(driver.got()).toMatchObject([{ id: null, error: { code: -32700 } }]);
  });

  it.each([
    ["a request", '{"method":"tools/list","params":{"a":"\xe9"},"id":"a"}', { id: "a" }],
    ["a request whose id is not either", '{"id":"\xe9","method":"tools/list"}', { id: null }],
    ["no message", '["\xe9"]', { id: null }],
  ])("%s that is not UTF-8 is refused, with its id where it can be read", (_, text, told) => {
    const driver = new CoreDriver();
    driver.run(driver.core.client(latin1(text)));
    expect(driver.got()).toMatchObject([{ ...told, error: { code: -32700 } }]);
  });

  it("that is not UTF-8 settles no other request, and no notification is answered", () => {
    const driver = new CoreDriver();
    driver.say({ id: 1, method: "tools/list" });
    driver.run(driver.core.client(latin1('{"id":1,"method":"tools/call","params":"\xe9"}')));
    driver.run(driver.core.client(latin1('{"method":"notifications/x","params":{"id":"\xe9"}}')));
    expect(driver.got()).toMatchObject([{ id: null, error: { code: -32700 } }]);
  });

  it("that is not UTF-8 tells a server that its question is not answered", () => {
    const driver = new CoreDriver();
    driver.greet();
    driver.reply({ id: 7, method: "roots/list" });
    driver.run(driver.core.client(latin1('{"id":"writ-1","result":{"roots":["\xe9"]}}')));
    expect(driver.seen()).toMatchObject([{ id: 7, error: { code: -32700 } }]);
  });

  it.each(["null", '"x"', "[]", "7"])("_meta that is %s is refused with the id", (meta) => {
    for (const method of ["tools/call", "tools/list"]) {
      expect(refused(`{"id":"a","method":"${method}","params":{"_meta":${meta}}}`)).toMatchObject([
        { id: "a", error: { code: -32602 } },
      ]);
    }
  });

  it("an id in use is refused, waiting or in flight, and the first request is served", () => {
    const driver = new CoreDriver();
    driver.automatic = false;
    driver.say({ id: 1, method: "tools/list" });
    driver.say({ id: 1, method: "tools/list" });
    expect(driver.got()).toMatchObject([{ id: null, error: { code: -32600 } }]);
    driver.run(driver.core.started(1));
    driver.say({ id: 1, method: "tools/list" });
    expect(driver.got()).toMatchObject([{ id: null, error: { code: -32600 } }]);
    driver.reply({ id: 1, result: {} });
    driver.say({ id: 1, method: "tools/list" });
    expect(driver.got()).toMatchObject([{ id: 1, result: {} }]);
    expect(driver.seen()).toHaveLength(2);
  });

  it("an update of the state is no method, and has no effect", () => {
    const driver = new CoreDriver();
    driver.say({ id: 1, method: "codex/sandbox-state/update", params: A });
    driver.say({ method: "codex/sandbox-state/update", params: A });
    expect(driver.got()).toMatchObject([{ id: 1, error: { code: -32601 } }]);
    expect(driver.done).toEqual([]);
  });

  it("a call dressed as a notification is not handed on", () => {
    const driver = new CoreDriver();
    driver.greet();
    driver.say({ method: "tools/call", params: { name: "write" } });
    driver.say({ method: "notifications/x", params: { _meta: 5 } });
    expect(driver.seen()).toEqual([]);
  });

  it("an answer that nobody asked for is dropped", () => {
    const driver = new CoreDriver();
    driver.greet();
    driver.say({ id: "writ-1", result: {} });
    driver.say({ id: 0, result: {} });
    expect(driver.seen()).toEqual([]);
  });
});

describe("a server's garbage", () => {
  it("never reaches the client", () => {
    const driver = new CoreDriver();
    driver.greet();
    for (const line of ["Server listening", "[1]", '{"id":null,"error":{}}', '{"method":1}']) {
      driver.reply(line);
    }
    expect(driver.client).toEqual([]);
    expect(driver.noise[0]).toBe("Server listening");
    expect(driver.noise).toHaveLength(4);
  });

  it("as an answer still settles the request", () => {
    const driver = new CoreDriver();
    driver.say({ id: 1, method: "tools/list" });
    driver.reply('{"id":1,"result":{"a":1,"a":2}}');
    expect(driver.got()).toMatchObject([{ id: 1, error: { code: -32000 } }]);
    expect(driver.noise).toHaveLength(1);
  });

  it.each([
    ["short", '{"id":1,"result":{"content":"caf\xe9"}}'],
    ["long", `{"id":1,"result":{"content":"caf\xe9${"x".repeat(5000)}"}}`],
    ["long, its id last", `{"result":{"content":"caf\xe9${"x".repeat(5000)}"},"id":1}`],
  ])(
    "settles the request also where it is no text, and is told as far as it can be read: %s",
    (_, answer) => {
      const driver = new CoreDriver();
      driver.say({ id: 1, method: "tools/call", params: { _meta: metaOf(A) } });
      driver.run(driver.core.server(1, latin1(answer)));
      const text = expect.stringContaining("the line is not UTF-8");
      expect(driver.got()).toMatchObject([
        { id: 1, result: { isError: true, content: [{ text }] } },
      ]);
      expect(driver.noise).toEqual([answer.replace("\xe9", "\ufffd")]);
    },
  );

  it("drops an answer to nothing, and a second answer", () => {
    const driver = new CoreDriver();
    driver.say({ id: 1, method: "tools/list" });
    driver.reply({ id: 1, result: { n: 1 } });
    driver.reply({ id: 1, result: { n: 2 } });
    driver.reply({ id: "1", result: { n: 3 } });
    driver.reply({ id: "writ-own-1", result: {} });
    expect(driver.got()).toMatchObject([{ id: 1, result: { n: 1 } }]);
  });

  it("leaves notifications as they are", () => {
    const driver = new CoreDriver();
    driver.greet();
    const text =
      '{"method":"notifications/progress","params":{"progressToken":1.0},"jsonrpc":"2.0"}';
    driver.reply(text);
    expect(driver.client).toEqual([text]);
  });
});
