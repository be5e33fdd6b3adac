import { expect, it } from "vitest";
import { writeThread } from "../../../src/app-server/wire/write-thread.ts";
import { aThread } from "../store/support/kept-threads.ts";

it("a folder of another machine that has the name of one here has no roots of this machine", () => {
  const { settings, ...thread } = aThread("t");
  const environments = ["local", "elsewhere"].map((id) => ({ id, cwd: "/w" }));
  const record = {
    ...thread,
    settings: { ...settings, cwd: "/w", workspaceRoots: ["/w", "/data"], environments },
  };
  const status = { type: "idle" } as const;
  const shown = writeThread({ record, status, ephemeral: false, version: "1", turns: [] });
  expect(shown.environments).toEqual([
    { environmentId: "local", cwd: "/w", runtimeWorkspaceRoots: ["/w", "/data"] },
    { environmentId: "elsewhere", cwd: "/w", runtimeWorkspaceRoots: ["/w"] },
  ]);
});
