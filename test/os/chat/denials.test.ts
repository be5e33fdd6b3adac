/** What a thread in the terminal says of a denial, and of a receipt, is what the receipt says. */
import { describe, expect, it } from "vitest";
import { placeFor, USERS } from "../support/sandbox-user.ts";
import { talk } from "./support/talk.ts";

const LINES = [
  { line: "echo 'git@host: Permission denied (publickey).' >&2; exit 128", end: "exit 128" },
  { line: "echo 'the sandbox of the test suite fell over'; exit 3", end: "exit 3" },
];

describe.each(USERS)("a plain failure in writ chat, as %s", (user) => {
  it.each(LINES)("is no denial by its words alone: $line", async ({ line, end }) => {
    const { out } = await talk(placeFor(user), [line, "touch no.txt", "/receipts"]);
    const [plain = "", denied = ""] = out.split("> touch no.txt\n");
    expect(plain).toContain(`- ${end}, `);
    expect(plain).not.toContain("denied by the sandbox");
    expect(plain).toMatch(/< It ended with exit code \d+\.\n/);
    expect(denied).toContain("- Probably denied: to write ");
    expect(denied).toMatch(/- [0-9A-Z]{8} {2}exit 1 {7}denied {2}touch no\.txt\n/);
    expect(denied).toMatch(new RegExp(`- [0-9A-Z]{8}  ${end.padEnd(11)} {10}echo`));
  });
});

describe.each(USERS)("a look of the model in writ chat, as %s", (user) => {
  it("is told with the receipt that it left", async () => {
    const { out } = await talk(placeFor(user), ["grep nothing", "/receipts"]);
    const [, id] = /^- grep: completed, receipt ([0-9A-Z]{8})$/m.exec(out) ?? [];
    expect(id).toBeDefined();
    expect(out).toMatch(new RegExp(`^- ${id}  exit 1 .*grep `, "m"));
  });
});
