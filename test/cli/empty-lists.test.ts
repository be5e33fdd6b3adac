import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { writIn } from "./support/cli-world.ts";

describe("a list of nothing", () => {
  const lists = [
    ["receipts", ["receipts"], "writ: no receipt is kept\n"],
    [
      "receipts of a thread",
      ["receipts", "--thread", "t"],
      'writ: no receipt of thread "t" is kept\n',
    ],
    ["sessions", ["sessions"], "writ: no session is kept\n"],
    ["snapshots", ["snapshot", "list"], "writ: no snapshot is there\n"],
    ["skills", ["skills", "list"], 'writ: a thread in "/repo" would have no skill\n'],
  ] as const;
  const world = () => ({
    ...{ folder: "/repo", env: { WRIT_HOME: temporaryFolder() }, home: temporaryFolder() },
  });

  it.each(lists)("of %s is said to be one, to a person at a terminal", async (_, args, said) => {
    const told = await writIn(args, { ...world(), isWatched: true });
    expect(told).toEqual({ status: 0, out: "", err: said });
    const inPipe = await writIn(args, world());
    expect(inPipe).toEqual({ status: 0, out: "", err: "" });
  });
});
