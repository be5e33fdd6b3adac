/** Asking for more in the chat: what a person sees, says, and gets. */
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Place, placeFor, USERS } from "../support/sandbox-user.ts";
import { talk } from "./support/talk.ts";

const QUESTION = /\? May this be allowed beyond the policy, until the turn ends\?/g;

const madeIn = ({ outside }: Place, names: readonly string[]) =>
  names.filter((name) => existsSync(path.join(outside, name)));

describe.each(USERS)("a request for more in the chat, as %s", (user) => {
  it("is shown with what it would open, and y opens that for its turn", async () => {
    const place = placeFor(user);
    const { outside } = place;
    const { status, out, err } = await talk(place, [
      ...[`ask write ${outside} then touch ${outside}/a`, "y", `touch ${outside}/b`],
    ]);
    expect({ status, err }).toEqual({ status: 0, err: "" });
    expect(out.match(QUESTION)).toHaveLength(1);
    expect(out).toContain(
      `turn ends?\n$ write "${outside}"\n? reason: The user told me to ask for it.\n? [y] yes`,
    );
    expect(out).toMatch(
      /\| Granted for this turn: write "[^"]*"\. The policy of the turn is [0-9a-f]{16} now\.\n- request_permissions: completed\n/,
    );
    expect(madeIn(place, ["a", "b"])).toEqual(["a"]);
  });

  it("is not put again for what a opened", async () => {
    const place = placeFor(user);
    const { outside } = place;
    const { out } = await talk(place, [
      ...[`ask write ${outside}`, "a", `touch ${outside}/a`, `ask write ${outside}`],
    ]);
    expect(out.match(QUESTION)).toHaveLength(1);
    expect(out).toContain("Nothing had to be granted: the policy allows all of it.");
    expect(madeIn(place, ["a"])).toEqual(["a"]);
  });

  it("opens nothing where it is answered with anything else", async () => {
    const place = placeFor(user);
    const { outside } = place;
    const ask = (name: string) => `ask write ${outside} then touch ${outside}/${name}`;
    const { status, out } = await talk(place, [
      ...[ask("no"), "n", ask("line"), "touch x", ask("stop"), "c", "say next", ask("end")],
    ]);
    expect(status).toBe(0);
    expect(out.match(QUESTION)).toHaveLength(4);
    expect(out).toContain("Nothing was granted: the user did not allow it");
    expect(out).toContain("- The turn was stopped.\n> say next\n< next\n");
    expect(madeIn(place, ["no", "line", "stop", "end"])).toEqual([]);
  });
});
