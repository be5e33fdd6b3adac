import { describe, expect, it } from "vitest";
import { type KeptRun, stateOf } from "../../../src/exec/receipts/kept-run.ts";
import { identityOf } from "../../../src/sandbox/index.ts";

const [pid, start, namespace, boot] = (identityOf(process.pid) ?? "").split("-");
const run = (...identity: (string | undefined)[]): KeptRun => ({
  id: "x",
  process: identity.join("-"),
  start: null,
  receipt: null,
});

describe("stateOf", () => {
  it.each<[string, KeptRun, string]>([
    ["the process itself", run(pid, start, namespace, boot), "running"],
    ["another process with its number", run(pid, "1", namespace, boot), "gone"],
    ["one before the last boot", run(pid, start, namespace, "0"), "gone"],
    ["one of another pid namespace", run(pid, start, "1", boot), "unseen"],
    ["one that cannot be told from others", { ...run(), process: null }, "unseen"],
    ["words that name none", run("x"), "gone"],
  ])("takes %s for what it is", (_, kept, state) => {
    expect(stateOf(kept)).toBe(state);
  });
});
