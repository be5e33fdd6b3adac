import { describe, expect, it } from "vitest";
import { hardLimits } from "../../../src/sandbox/limits/probe-limit-means.ts";

describe("hardLimits", () => {
  it("reads the second number of each row", () => {
    const text = [
      "Limit                     Soft Limit           Hard Limit           Units     ",
      "Max cpu time              unlimited            unlimited            seconds   ",
      "Max file size             10                   20                   bytes     ",
      "Max processes             30                   40                   processes ",
      "Max open files            50                   60                   files     ",
    ].join("\n");
    expect(hardLimits(text)).toEqual({
      cpu: Number.POSITIVE_INFINITY,
      fsize: 20,
      nproc: 40,
      nofile: 60,
    });
  });

  it("takes a row that is missing for a limit of nothing", () => {
    expect(hardLimits("")).toEqual({ cpu: 0, fsize: 0, nproc: 0, nofile: 0 });
  });
});
