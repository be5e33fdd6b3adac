import { chmodSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { findSecrets } from "../../../../src/session/provider/local/snapshots/find-secrets.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

describe("findSecrets", () => {
  it("names files and folders that not everybody may read, and nothing else", () => {
    const top = temporaryFolder({
      ...{ hosts: "", "shadow-": "", "ssh/config": "", "ssh/host_key": "" },
      ...{ "private/key": "", "shut/key": "" },
    });
    const modes = { "shadow-": 0o640, "ssh/host_key": 0o600, private: 0o710, shut: 0o744 };
    for (const [name, mode] of Object.entries(modes)) chmodSync(path.join(top, name), mode);
    symlinkSync("nowhere", path.join(top, "link"));
    const names = findSecrets(top).map((one) => path.relative(top, one));
    expect(names.sort()).toEqual(Object.keys(modes).sort());
  });
});
