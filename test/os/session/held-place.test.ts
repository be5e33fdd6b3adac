/** Files that a person let out of the sandbox, whose folder becomes a link at the last moment. */
import { mkdirSync, readdirSync, renameSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { uriOfNative } from "../../../src/policy/index.ts";
import { createLocalProvider, ThreadSession } from "../../../src/session/index.ts";
import { contractPlace } from "../../exec/contract/support/contract-place.ts";
import { localExecutor } from "../../exec/contract/support/our-executors.ts";

const signal = new AbortController().signal;

it.each(["written", "removed"])("none is %s where that leads", async (what) => {
  const { outside, workspace } = contractPlace();
  const [asked = "", other = ""] = ["asked", "other"].map((name) => path.join(outside, name));
  for (const folder of [asked, other]) mkdirSync(folder);
  const { executor } = localExecutor();
  let turnsAt = Number.POSITIVE_INFINITY;
  const start: typeof executor.start = async (request) => {
    turnsAt -= 1;
    if (turnsAt === 0) {
      renameSync(asked, `${asked}-moved`);
      symlinkSync(other, asked);
    }
    return executor.start(request);
  };
  const session = new ThreadSession({
    provider: createLocalProvider({
      executor: { ...executor, files: executor.files, start, anchors: undefined },
    }),
    ...{ thread: "thread-1", workspace: uriOfNative(workspace), remembered: undefined },
    intent: { kind: "waived", by: "user", reason: "to see" },
    onReference: async () => {},
  });
  const change = (write: readonly string[], remove: readonly string[]) =>
    session.changeFiles({
      ...{ by: "test", remove, signal },
      write: write.map((file) => ({ path: file, content: Buffer.from("x") })),
    });
  await change([`${asked}/there`, `${other}/there`], []);
  turnsAt = 1;
  const [write, remove] = what === "written" ? [["new"], []] : [[], ["there"]];
  const at = (names: readonly string[]) => names.map((name) => path.join(asked, name));
  await expect(change(at(write), at(remove))).rejects.toMatchObject({ code: "forbidden" });
  expect(readdirSync(other)).toEqual(["there"]);
  await session.dispose();
});
