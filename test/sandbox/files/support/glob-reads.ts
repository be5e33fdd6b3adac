import fs from "node:fs";
import { onTestFinished, vi } from "vitest";

/** Counts the folders whose names are asked for, in either way, until the test is over. */
export function countReads(): { take(): number } {
  const spies = [vi.spyOn(fs, "readdirSync"), vi.spyOn(fs, "readdir"), vi.spyOn(fs, "opendirSync")];
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  return {
    take() {
      const calls = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
      for (const spy of spies) spy.mockClear();
      return calls;
    },
  };
}

/** Makes every file system look like one of this type; see statfs(2). */
export function pretendType(type: number): void {
  const spy = vi.spyOn(fs, "statfsSync").mockReturnValue({ type } as fs.StatsFs);
  onTestFinished(() => spy.mockRestore());
}

export const EXT4 = 0xef53;
export const NFS = 0x6969;

/** As long as change times need to settle in these tests: more than a tick of any kernel. */
export const SETTLE_MS = 25;

/** Lets the last change become old enough to be believed. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SETTLE_MS + 5));
}
