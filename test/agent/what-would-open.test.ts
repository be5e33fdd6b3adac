import { describe, expect, it } from "vitest";
import { whatWouldOpen } from "../../src/agent/what-would-open.ts";

type Change = Parameters<typeof whatWouldOpen>[0][number];

const line = (text: string, note: string | null = null): Change => ({
  ...{ kind: "add", table: "filesystem", lines: [text], note },
});
const network: Change = {
  ...{ kind: "add", table: "network", lines: ["enabled = true"], note: null },
};
const none: Change = { kind: "none", why: "it is the kernel's" };

describe("whatWouldOpen", () => {
  it.each<[string, readonly Change[], string]>([
    [
      "one thing with what else must hold",
      [line('"/a" = "read"', "it must exist")],
      'it: "/a" = "read" in [permissions.NAME.filesystem] (it must exist)',
    ],
    [
      "several in each table, and each line once",
      [line('"/a" = "read"', "it must exist"), network, line('"/b" = "read"'), network],
      'them: "/a" = "read"; "/b" = "read" in [permissions.NAME.filesystem], enabled = true in [permissions.NAME.network]',
    ],
    [
      "some of several",
      [none, line('"/a" = "read"')],
      'some of them: "/a" = "read" in [permissions.NAME.filesystem]',
    ],
  ])("says what would open %s", (_, changes, words) => {
    expect(whatWouldOpen(changes)).toBe(`What would open ${words}`);
  });

  it("says that nothing would, and why where it is one", () => {
    expect(whatWouldOpen([none])).toBe("No line opens it: it is the kernel's");
    expect(whatWouldOpen([none, none])).toBe("No line opens them");
  });
});
