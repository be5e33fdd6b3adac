import { describe, expect, it } from "vitest";
import {
  readMetaState,
  readSandboxState,
  STATE_ALIAS,
  STATE_KEY,
  type StateReading,
  TURN_KEY,
} from "../../../src/mcp/index.ts";
import { modeOfProfile } from "../../../src/policy/index.ts";
import { CAPTURES, managed, metaOf, special, stateWith } from "./support/states.ts";

const lags = CAPTURES.filter(
  ([, { turnSandboxMode, derivedMode }]) =>
    turnSandboxMode !== null && turnSandboxMode !== derivedMode,
);
const agreeing = CAPTURES.filter((capture) => !lags.includes(capture));

function modeIn(reading: StateReading): string {
  return reading.kind === "state" ? modeOfProfile(reading.state.profile) : reading.message;
}

describe("readSandboxState", () => {
  it("meets captures of both sorts", () => {
    expect([agreeing.length, lags.length]).toEqual([53, 7]);
  });

  it.each(agreeing)("reads the call of %s", (_, capture) => {
    const { derivedMode, state } = capture;
    const policy = state.sandboxPolicy as { readonly type: string } | undefined;
    const reading = readSandboxState({ _meta: metaOf(capture) });
    expect(modeIn(reading)).toBe(derivedMode ?? policy?.type);
  });

  it.each(lags)("refuses the call of %s, whose client lags", (_, capture) => {
    const reading = readSandboxState({ _meta: metaOf(capture) });
    expect(reading).toMatchObject({ kind: "refused", code: "contradictory" });
    const { derivedMode, turnSandboxMode } = capture;
    const message = `the state means ${derivedMode}, but "${TURN_KEY}.sandbox_mode" says "${turnSandboxMode}"`;
    expect(reading).toHaveProperty("message", expect.stringContaining(message));
    expect(reading).toHaveProperty("message", expect.stringContaining("Choose another mode"));
  });

  it("finds the state where either version of the SDK puts it", () => {
    const _meta = { [STATE_KEY]: stateWith({}) };
    const first = readSandboxState({ _meta, ...{ requestId: 1, sessionId: "s" } });
    const second = readSandboxState({ mcpReq: { _meta, ...{ id: 1, method: "tools/call" } } });
    expect(first.kind).toBe("state");
    expect(second).toEqual(first);
  });

  it("does not take the outer `_meta` of a context for that of its request", () => {
    const _meta = { [STATE_KEY]: stateWith({}) };
    const context = { _meta, mcpReq: {} };
    expect(readSandboxState(context)).toMatchObject({ code: "missing" });
  });
});

describe("readMetaState", () => {
  it.each([
    ["nothing", undefined],
    ["an empty object", {}],
    ["other members only", { progressToken: 1, threadId: "t" }],
    ["a mode of the turn only", { [TURN_KEY]: { sandbox_mode: "danger-full-access" } }],
    ["a launcher only", { "codex/sandbox-launcher": { codexExecutable: "/bin/sh" } }],
    ["the state under no known name", { "codex/sandbox-state/update": stateWith({}) }],
    ["the state one level too deep", { _meta: { [STATE_KEY]: stateWith({}) } }],
    ["the state in its prototype", Object.create({ [STATE_KEY]: stateWith({}) })],
    ["`__proto__` as text", JSON.parse(`{"__proto__":{"${STATE_KEY}":{}}}`)],
  ])("finds none in %s, and says what to do", (_, meta) => {
    const reading = readMetaState(meta);
    expect(reading).toMatchObject({ kind: "refused", code: "missing" });
    expect(reading).toHaveProperty("message", expect.stringContaining(`"${STATE_KEY}"`));
    expect(reading).toHaveProperty("message", expect.stringContaining("--sandbox"));
  });

  it.each([
    ["null", null, "null"],
    ["text", "state", "a string"],
    ["a number", 1, "a number"],
    ["true", true, "a boolean"],
    ["a list", [{ [STATE_KEY]: stateWith({}) }], "an array"],
  ])("refuses %s in place of an object", (_, meta, name) => {
    const message = `Cannot run this call: "_meta" is ${name}, expected an object`;
    expect(readMetaState(meta)).toEqual({ kind: "refused", code: "malformed", message });
  });

  it.each([
    ["the first name", { [STATE_KEY]: stateWith({}) }],
    ["the second name", { [STATE_ALIAS]: stateWith({}) }],
    ["both", { [STATE_KEY]: stateWith({}), [STATE_ALIAS]: stateWith({}) }],
  ])("reads a state under %s", (_, meta) => {
    expect(modeIn(readMetaState(meta))).toBe("read-only");
  });

  it("takes two names whose members come in another order for one state", () => {
    const turned = Object.fromEntries(Object.entries(stateWith({})).toReversed());
    expect(modeIn(readMetaState({ [STATE_KEY]: stateWith({}), [STATE_ALIAS]: turned }))).toBe(
      "read-only",
    );
  });

  const wider = stateWith({ permissionProfile: { type: "disabled" } });
  it.each([
    ["a wider one", stateWith({}), wider],
    ["a narrower one", wider, stateWith({})],
    ["another folder", stateWith({}), stateWith({ sandboxCwd: "file:///srv" })],
    ["another unknown member", stateWith({ later: 1 }), stateWith({ later: 2 })],
    ["null", stateWith({}), null],
    ["undefined", stateWith({}), undefined],
    ["nothing readable", stateWith({}), "state"],
  ])("refuses %s under the second name", (_, first, second) => {
    const reading = readMetaState({ [STATE_KEY]: first, [STATE_ALIAS]: second });
    expect(reading).toMatchObject({ kind: "refused", code: "contradictory" });
  });

  it.each([
    ["null", null],
    ["text", "read-only"],
    ["a list", []],
  ])("refuses a turn that is %s", (_, turn) => {
    const reading = readMetaState({ [STATE_KEY]: stateWith({}), [TURN_KEY]: turn });
    expect(reading).toMatchObject({ kind: "refused", code: "malformed" });
  });

  it.each([
    ["null", null],
    ["empty text", ""],
    ["a mode nobody knows", "yolo"],
    ["another case", "Read-Only"],
    ["a list that holds the mode", ["read-only"]],
  ])("refuses a mode of the turn that is %s", (_, sandbox_mode) => {
    const reading = readMetaState({ [STATE_KEY]: stateWith({}), [TURN_KEY]: { sandbox_mode } });
    expect(reading.kind).toBe("refused");
  });

  it("takes a turn that says no mode for no contradiction", () => {
    const meta = { [STATE_KEY]: stateWith({}), [TURN_KEY]: { turn_id: "t" } };
    expect(readMetaState(meta).kind).toBe("state");
  });

  it("takes an external sandbox for what it is called, not for full access", () => {
    const state = stateWith({ permissionProfile: { type: "external", network: "enabled" } });
    const said = (sandbox_mode: string) =>
      readMetaState({ [STATE_KEY]: state, [TURN_KEY]: { sandbox_mode } });
    expect(modeIn(said("external-sandbox"))).toBe("external-sandbox");
    expect(said("danger-full-access")).toMatchObject({ code: "contradictory" });
  });

  it("counts a root that is writable as a whole as full access", () => {
    const permissionProfile = managed([{ path: special("root"), access: "write" }]);
    const meta = { [STATE_KEY]: stateWith({ permissionProfile }) };
    expect(
      readMetaState({ ...meta, [TURN_KEY]: { sandbox_mode: "workspace-write" } }),
    ).toMatchObject({ code: "contradictory" });
  });
});
