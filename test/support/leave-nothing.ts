/** Files share a process: one that leaves it changed fails by itself, and the next one finds it whole. */
import { afterAll, expect, vi } from "vitest";

const variables = { ...process.env };
const folder = process.cwd();

/** By name: what is in them is nobody's business. */
function changedVariables(): string[] {
  const names = new Set([...Object.keys(variables), ...Object.keys(process.env)]);
  return [...names].filter((name) => process.env[name] !== variables[name]);
}

function restoreVariable(name: string): void {
  if (variables[name] === undefined) delete process.env[name];
  else process.env[name] = variables[name];
}

afterAll(() => {
  const left = {
    variables: changedVariables(),
    folder: process.cwd(),
    fakeTimers: vi.isFakeTimers(),
  };
  left.variables.forEach(restoreVariable);
  process.chdir(folder);
  vi.useRealTimers();
  expect(left).toEqual({ variables: [], folder, fakeTimers: false });
});
