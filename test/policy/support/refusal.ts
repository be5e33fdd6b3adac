import { expect } from "vitest";
import { PolicyError, type PolicyErrorCode } from "../../../src/policy/index.ts";

/** The error that `run` throws; anything but a {@link PolicyError} fails the test. */
export function refusalOf(run: () => unknown): PolicyError {
  try {
    const value = run();
    expect.unreachable(`expected a refusal, got ${JSON.stringify(value)}`);
  } catch (error) {
    if (error instanceof PolicyError) return error;
    throw error;
  }
}

/** Expects a refusal with this code whose message names `named`. */
export function expectRefusal(run: () => unknown, code: PolicyErrorCode, named: string): void {
  const { code: found, message } = refusalOf(run);
  expect({ code: found, message }).toEqual({ code, message: expect.stringContaining(named) });
}
