import path from "node:path";
import { expect, it } from "vitest";
import { openSandbox } from "../../src/front/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

it.each([
  ["below /proc, where nothing can be made and nothing is in the way", "/proc/writ/home"],
  ["that is a file", "file"],
  ["below a file", "file/home"],
])("opens nothing with a home %s, and says which to set", async (_, home) => {
  const folder = temporaryFolder({ file: "" });
  const at = path.resolve(folder, home);
  const opened = openSandbox({ policy: "read-only", workspace: folder, home: at });
  await expect(opened).rejects.toThrow(
    new RegExp(
      `^Cannot make "${at}" for writ's own settings: .+, expected a folder\\. Set WRIT_HOME to one that you can write, or "home" in a program$`,
    ),
  );
});
