import { describe, expect, it } from "vitest";
import {
  type SessionState,
  type SessionStep,
  stateAfter,
} from "../../../src/session/lifecycle/session-state.ts";

const STATES: readonly SessionState[] = [
  ...(["absent", "booting", "ready", "idle", "draining", "gone", "lost"] as const),
];
const STEPS: readonly SessionStep[] = [
  ...(["boot", "fail", "probed", "quiet", "lose", "drain", "stop", "release"] as const),
];

function reached(state: SessionState, step: SessionStep): SessionState | undefined {
  try {
    return stateAfter(state, step);
  } catch {
    return undefined;
  }
}

describe("the states of a session", () => {
  it("lead to ready by a probe and by nothing else", () => {
    const steps = STATES.flatMap((state) =>
      STEPS.filter((step) => reached(state, step) === "ready").map((step) => `${state} ${step}`),
    );
    expect(steps).toEqual(["booting probed", "ready probed", "idle probed"]);
  });

  it("go from absent to gone by the way that is drawn", () => {
    const steps = ["boot", "probed", "quiet", "drain", "stop"] as const;
    const walk: SessionState[] = ["absent"];
    for (const step of steps) walk.push(stateAfter(walk.at(-1) ?? "absent", step));
    expect(walk).toEqual(["absent", "booting", "ready", "idle", "draining", "gone"]);
  });

  it("let what is lost or gone be booted again", () => {
    expect(reached("lost", "boot")).toBe("booting");
    expect(reached("gone", "boot")).toBe("booting");
  });

  it("refuse a step that cannot be", () => {
    expect(() => stateAfter("gone", "probed")).toThrow(
      'Cannot take the step "probed": the session is gone',
    );
  });
});
