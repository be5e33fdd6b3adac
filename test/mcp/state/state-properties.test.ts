/** Whatever a client sends: an answer, and a state only where it can be bound or refused by name. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  advertises,
  bindState,
  readMetaState,
  STATE_ALIAS,
  STATE_KEY,
  TURN_KEY,
} from "../../../src/mcp/index.ts";
import { idsOfCall } from "../../../src/mcp/state/ids-of-call.ts";
import { readSandboxState } from "../../../src/policy/index.ts";
import { campaign } from "../../support/campaign.ts";
import { CAPTURES, hostWith, metaOf } from "./support/states.ts";

const json = fc.jsonValue({ maxDepth: 6 });
const capture = fc.constantFrom(...CAPTURES.map(([, one]) => one));

/** A captured `_meta` in which one value, anywhere, is another or is gone. */
const broken = fc
  .tuple(capture, fc.nat(), fc.option(json, { nil: undefined }))
  .map(([one, at, value]) => {
    const places: [Record<string, unknown>, string][] = [];
    const meta = structuredClone(metaOf(one));
    const visit = (node: unknown): void => {
      if (typeof node !== "object" || node === null) return;
      for (const name of Object.keys(node)) {
        places.push([node as Record<string, unknown>, name]);
        visit((node as Record<string, unknown>)[name]);
      }
    };
    visit(meta);
    const [node, name] = places[at % places.length] ?? [meta, STATE_KEY];
    if (value === undefined) delete node[name];
    else node[name] = value;
    return meta;
  });

const anything = fc.oneof(
  json,
  broken,
  fc.record(
    { [STATE_KEY]: json, [STATE_ALIAS]: json, [TURN_KEY]: json, threadId: json },
    { requiredKeys: [] },
  ),
);

describe("for any JSON in `_meta`", () => {
  it("there is a state with a readable profile, or a refusal with a sentence", () => {
    const property = fc.property(anything, (value) => {
      const meta: unknown = JSON.parse(JSON.stringify(value));
      const reading = readMetaState(meta);
      if (reading.kind === "refused") {
        expect(reading.message).toMatch(/^Cannot run this call: /);
        return;
      }
      const sent = meta as Record<string, unknown>;
      expect(readSandboxState(sent[STATE_KEY] ?? sent[STATE_ALIAS])).toEqual(reading.state);
      expect(["managed", "disabled", "external"]).toContain(reading.state.profile.type);
      expect(["bound", "refused"]).toContain(
        bindState(reading.state, { host: hostWith(), network: "off" }).kind,
      );
    });
    fc.assert(property, campaign(10_000) as fc.Parameters<[unknown]>);
  });

  it("capabilities and ids are read without a fault", () => {
    const property = fc.property(anything, (value) => {
      expect(typeof advertises(value)).toBe("boolean");
      const ids = Object.values(idsOfCall({ _meta: value }));
      expect(ids.every((id) => id.length > 0 && id.length <= 200)).toBe(true);
    });
    fc.assert(property, campaign(5_000) as fc.Parameters<[unknown]>);
  });
});
