import { describe, expect, it } from "vitest";
import {
  type StateHandling,
  stateHandling,
  type WorkerInput,
  type WorkerSituation,
} from "../../../src/mcp/index.ts";

const STATES = [false, true].flatMap((live) =>
  [false, true].flatMap((pending) => [false, true].map((pager) => ({ live, pending, pager }))),
);

/** Whatever the worker does. */
const always = (input: WorkerInput, handling: StateHandling) =>
  STATES.map((state) => ({ ...state, input, handling }));

type Row = WorkerSituation & { readonly handling: StateHandling };

/** Every row of the table, written out. */
const ROWS: readonly Row[] = [
  // Empty input that has to start a worker is strict; any other only looks.
  ...STATES.map((state): Row => {
    const startsOne = !state.live && !state.pending && !state.pager;
    return { ...state, input: "empty", handling: startsOne ? "apply" : "glance" };
  }),
  ...always("restart", "stage"),
  ...always("restartAndCode", "stage"),
  ...always("interrupt", "glance"),
  ...always("code", "apply"),
  ...always("interruptAndCode", "apply"),
  ...STATES.map((state): Row => {
    return { ...state, input: "pagerCommand", handling: state.pending ? "ignore" : "glance" };
  }),
];

describe("stateHandling", () => {
  it.each(ROWS)("$input (live $live, pending $pending, pager $pager): $handling", (row) => {
    const { handling, ...situation } = row;
    expect(stateHandling(situation)).toBe(handling);
  });

  it("never lets anything run that was not handled strictly", () => {
    const running: WorkerInput[] = ["code", "interruptAndCode", "restartAndCode"];
    const handled = ROWS.filter(({ input }) => running.includes(input)).map(stateHandling);
    expect(handled.filter((one) => one !== "apply" && one !== "stage")).toEqual([]);
  });
});
