/** A terminal on the input of a command is a way out as well. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { placeFor, USERS } from "../support/sandbox-user.ts";
import { inTerminal } from "./outer-terminal.ts";

const SCRIPT = `exec 3>&0; echo typed >&3; head -c 4000 /dev/zero | tr '\\0' x >&3; read word; echo "got $word"`;

describe.each(USERS)("writ run with outputBytes as %s", (user) => {
  it.each([
    ["lets nothing out by the terminal it reads from", "[limits]\noutput_bytes = 1000\n", false],
    ["hands it on where nothing is counted", "", true],
  ])("J4 %s", async (_, limits, isHandedOn) => {
    const place = placeFor(user);
    const profile = path.join(place.outside, "profile.toml");
    writeFileSync(profile, `extends = ":read-only"\n${limits}`);
    place.give();
    const command = ["/bin/sh", "-c", SCRIPT];
    const terminal = inTerminal(place, ["run", "--profile", profile, "--", ...command]);
    terminal.type("word\n");
    await terminal.shows(/got word/);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text().includes("xxxx")).toBe(isHandedOn);
  });
});
