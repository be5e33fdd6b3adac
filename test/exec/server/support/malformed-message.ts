/**
 * Messages that are wrong in one way, made from calls that are right.
 *
 * Each says what has to come of it: an error under its own id, an error under -1
 * because it cannot be read, or the end of the connection.
 */
import fc from "fast-check";
import { intentAt, type Kind, type Member, type WireCall, wireCalls } from "./wire-calls.ts";

export interface MalformedMessage {
  readonly text: string;
  readonly deserves: "error" | "unreadable" | "close";
}

type Members = Readonly<Record<string, unknown>>;

/** Stands for a number that no double holds; JSON has room for it, `JSON.stringify` has not. */
const BEYOND = "\u0001beyond\u0001";

const NUMBERS = [0, -1, 1.5, 2 ** 53, -(2 ** 53), 1e308, BEYOND];
const CONTAINERS: unknown[] = [[], {}, [[]], { length: 1, 0: "a" }, { toString: 1 }];
const BAD_URIS = [
  ...["", "x", "/srv", "//srv/x", "srv:x", "http://127.0.0.1/srv", "file:\\srv", "file:/ srv"],
  ...["file://host/srv", "file:///srv%2Fx", "file:///srv%00", "file:///%zz"],
  ...["file:///srv\u0000x", "file:///C:/x", "file:///srv?x", "file:///srv#x", "FILE//srv"],
];
const BAD_BASE64 = [
  "a",
  "YQ",
  "YQ=",
  "=",
  "====",
  "Y Q=",
  "YQ==\n",
  "YR==",
  "ü===",
  "_-==",
  "YQ==YQ==",
];

/** What each kind must not be. Null is left out: many members may be null. */
const WRONG: Readonly<Record<Kind, readonly unknown[]>> = {
  text: [...NUMBERS, true, ...CONTAINERS],
  uri: [...NUMBERS, true, ...CONTAINERS, ...BAD_URIS],
  uris: [7, "x", true, {}, ...BAD_URIS.map((uri) => [uri]), [7], [null]],
  flag: [...NUMBERS, "true", "", ...CONTAINERS],
  integer: [1.5, 2 ** 53, 1e308, BEYOND, "1", true, ...CONTAINERS],
  count: [-1, 1.5, 2 ** 53, 1e308, BEYOND, "1", true, ...CONTAINERS],
  base64: [...NUMBERS, true, ...CONTAINERS, ...BAD_BASE64],
  texts: [7, "x", true, {}, [7], [null], ["a", []], { 0: "a", length: 1 }],
  variables: [7, "x", true, ["a"], { a: 7 }, { a: null }, { a: ["b"] }],
};

/** Any message that must be refused; calls are about the folder. */
export function malformedMessage(folder: string): fc.Arbitrary<MalformedMessage> {
  const call = fc.constantFrom(...wireCalls(folder));
  const oneOf = (...list: fc.Arbitrary<MalformedMessage>[]) => fc.oneof(...list);
  return oneOf(
    wrongMember(call, folder),
    wrongMember(call, folder),
    lackingMember(call),
    wrongParams(call),
    wrongEnvelope(call),
    wrongText(call),
    notACall,
  );
}

/** Only those that are requests, with the ids to answer under. */
export function malformedRequest(folder: string, id: number): fc.Arbitrary<string> {
  const call = fc.constantFrom(...wireCalls(folder));
  const any = fc.oneof(wrongMember(call, folder), lackingMember(call), wrongParams(call));
  return any.map(({ text }) => text.replace(/"id":(-?\d+|"[^"]*")/, `"id":${id}`));
}

/** A call as it should be, for the proof that it would have done something. */
export function paramsOf({ members }: WireCall): Members {
  return Object.fromEntries(Object.entries(members).map(([name, { value }]) => [name, value]));
}

const anyId = fc.oneof(fc.integer(), fc.stringMatching(/^[a-z0-9-]{0,12}$/));

function written(message: unknown): string {
  return JSON.stringify(message).replaceAll(JSON.stringify(BEYOND), "1e999");
}

function asError(method: string, params: fc.Arbitrary<unknown>): fc.Arbitrary<MalformedMessage> {
  return fc
    .tuple(anyId, params)
    .map(([id, wrong]) => ({ text: written({ id, method, params: wrong }), deserves: "error" }));
}

function wrongMember(call: fc.Arbitrary<WireCall>, folder: string) {
  return call.chain((one) => {
    const choices = Object.entries(one.members);
    return fc.constantFrom(...choices).chain(([name, member]) =>
      asError(
        one.method,
        wrongValue(member, folder).map((value) => ({ ...paramsOf(one), [name]: value })),
      ),
    );
  });
}

function wrongValue({ kind, value }: Member, folder: string): fc.Arbitrary<unknown> {
  if (kind === "intent") return wrongIntent(folder);
  if (kind === "table") return wrongTable(value as Members);
  return fc.constantFrom(...WRONG[kind]);
}

/** All of its members are needed, and none may be a container of another kind. */
function wrongTable(table: Members): fc.Arbitrary<unknown> {
  const names = fc.constantFrom(...Object.keys(table));
  const without = names.map((name) => ({ ...table, [name]: undefined }));
  const wrong = names.map((name) => ({ ...table, [name]: 1.5 }));
  return fc.oneof(without, wrong, fc.constantFrom("x", 7, true, []));
}

/** One place of an intent, and what must not stand there. */
function wrongIntent(folder: string): fc.Arbitrary<unknown> {
  const entry = "permissions.file_system.entries.1";
  const other = { type: "path", path: `file://${folder}` };
  const places: Readonly<Record<string, readonly unknown[]>> = {
    permissions: [7, "managed", null, [], {}],
    "permissions.type": [7, "unmanaged", null, "Managed", ["disabled"]],
    "permissions.file_system": [7, "restricted", null, [], {}],
    "permissions.file_system.type": [7, "unlimited", null],
    "permissions.file_system.entries": [7, "x", {}, [7], [null], [[]], [{}]],
    "permissions.network": [7, "sometimes", null, {}, []],
    [`${entry}.access`]: [7, "own", null, ["write"], "WRITE"],
    [`${entry}.path`]: [7, "x", null, [], {}, { type: "place" }, { type: "special" }],
    [`${entry}.path.value`]: [7, "root", null, [], {}, { kind: 7 }, { kind: null }],
    workspaceRoots: [7, "x", {}, [7], [null], ...BAD_URIS.map((uri) => [uri])],
    cwd: [7, true, [], {}, ...BAD_URIS],
    windowsSandboxLevel: [7, "sideways", null, []],
    useLegacyLandlock: [7, "yes", []],
  };
  const wrongPlace = fc
    .constantFrom(...Object.entries(places))
    .chain(([place, values]) => fc.constantFrom(...values).map((value) => ({ place, value })));
  const wrongPath = fc
    .constantFrom(...BAD_URIS, 7)
    .map((uri) => ({ place: `${entry}.path`, value: { ...other, path: uri } }));
  const replaced = fc
    .oneof(wrongPlace, wrongPath)
    .map(({ place, value }) => replacedAt(intentAt(folder), place.split("."), value));
  return fc.oneof({ weight: 9, arbitrary: replaced }, fc.constantFrom(7, "null", true, [], {}));
}

function replacedAt(at: unknown, [first, ...rest]: readonly string[], value: unknown): unknown {
  if (first === undefined) return value;
  const inner = replacedAt((at as Members)[first], rest, value);
  if (Array.isArray(at)) return at.with(Number(first), inner);
  return { ...(at as Members), [first]: inner };
}

function lackingMember(call: fc.Arbitrary<WireCall>) {
  return call.chain((one) => {
    const needed = Object.keys(one.members).filter((name) => !one.members[name]?.optional);
    return asError(
      one.method,
      fc.constantFrom(...needed).map((name) => ({ ...paramsOf(one), [name]: undefined })),
    );
  });
}

/** Among them all that is needed, where nothing that reads own members can find it. */
function wrongParams(call: fc.Arbitrary<WireCall>) {
  return call.chain((one) => {
    const hidden = fc.tuple(anyId, fc.constantFrom("constructor", "prototype", "")).map(
      ([id, name]): MalformedMessage => ({
        text: `{"id":${JSON.stringify(id)},"method":"${one.method}","params":{"${name}":${written(paramsOf(one))}}}`,
        deserves: "error",
      }),
    );
    const values = fc.constantFrom(7, "x", true, null, [], [{}], {}, BEYOND);
    return fc.oneof(hidden, asError(one.method, values));
  });
}

function wrongEnvelope(call: fc.Arbitrary<WireCall>): fc.Arbitrary<MalformedMessage> {
  return call.chain((one) => {
    const { method } = one;
    const params = paramsOf(one);
    const ids = fc.constantFrom(null, 1.5, true, [], {}, 2 ** 53, BEYOND);
    const methods = fc.constantFrom(7, null, true, [], {}, [method]);
    const unreadable = fc.oneof(
      ids.map((id) => ({ id, method, params })),
      methods.map((wrong) => ({ id: 1, method: wrong, params })),
      fc.constant({ id: 1, params }),
    );
    const unknown = fc
      .constantFrom(`${method}/x`, method.toUpperCase(), "", "__proto__", "constructor")
      .map((name) => ({
        text: written({ id: 1, method: name, params }),
        deserves: "error" as const,
      }));
    const unasked = fc.constantFrom<unknown>(
      { method: `${method}/x`, params },
      { id: 1, result: params },
      { id: 1, error: { code: 1, message: method } },
    );
    return fc.oneof(
      unreadable.map((one) => ({ text: written(one), deserves: "unreadable" as const })),
      unknown,
      unasked.map((one) => ({ text: written(one), deserves: "close" as const })),
    );
  });
}

/** Texts that begin like a call and are no JSON, or more JSON than is taken. */
function wrongText(call: fc.Arbitrary<WireCall>): fc.Arbitrary<MalformedMessage> {
  const text = call.map((one) => written({ id: 1, method: one.method, params: paramsOf(one) }));
  const cut = fc.tuple(text, fc.nat()).map(([whole, at]) => whole.slice(0, at % whole.length));
  const twice = fc
    .tuple(text, fc.constantFrom('"method":"process/start"', '"id":2', '"params":{}'))
    .map(([whole, more]) => whole.replace(/}$/, `,${more}}`));
  const inside = fc
    .tuple(text, fc.constantFrom('"sandbox":null,"sandbox":null', '"__proto__":{}', '"x":tru'))
    .map(([whole, more]) => whole.replace('"params":{', `"params":{${more},`));
  const inIntent = text
    .filter((whole) => whole.includes('"permissions":{'))
    .map((whole) => whole.replace('"permissions":{', '"permissions":{"__proto__":{},'));
  const spoiled = fc
    .tuple(
      text,
      fc.nat(),
      fc.constantFrom("\u0000", '"', "{", "}", ",", "\\", "\n", "NaN", "\ud800"),
    )
    .map(
      ([whole, at, what]) =>
        `${whole.slice(0, at % whole.length)}${what}${whole.slice(at % whole.length)}`,
    )
    .filter((one) => !isJson(one));
  const deep = fc
    .tuple(text, fc.integer({ min: 129, max: 20_000 }))
    .map(([whole, depth]) =>
      whole.replace('"params":{', `"params":{"deep":${"[".repeat(depth)}${"]".repeat(depth)},`),
    );
  const wide = text.map((whole) =>
    whole.replace('"params":{', `"params":{"wide":[${"0,".repeat(262_144)}0],`),
  );
  const common = fc.oneof(cut, twice, inside, inIntent, spoiled);
  return fc
    .oneof(
      { weight: 90, arbitrary: common },
      { weight: 9, arbitrary: deep },
      { weight: 1, arbitrary: wide },
    )
    .map((one) => ({ text: one, deserves: "unreadable" }));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const notACall: fc.Arbitrary<MalformedMessage> = fc
  .oneof(
    fc.string().filter((text) => !isJson(text)),
    fc.constantFrom("null", "7", '"x"', "true", "[]", "{}", '[{"id":1,"method":"initialize"}]'),
    fc.constantFrom('{"__proto__":{"id":1,"method":"environment/status"}}', '{"id":1}', "\ufeff{}"),
  )
  .map((text) => ({ text, deserves: "unreadable" }));
