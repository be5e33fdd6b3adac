/** One policy as a state, as a JSON file and as a TOML file: the same access on the kernel. */
import { describe, expect, it } from "vitest";
import type { Rule } from "../../policy/support/profiles.ts";
import { USERS } from "../support/sandbox-user.ts";
import { SpecPlace } from "./spec-place.ts";

const RULES: readonly Rule[] = [
  [":root", "read"],
  [":workspace_roots", "write"],
  [":workspace_roots/docs", "read"],
  [":workspace_roots/docs/private", "deny"],
  [":workspace_roots/docs/private/public", "write"],
  ["glob:codex-project-roots://**/*.env", "deny"],
];

const TOML = `[filesystem]
":root" = "read"
[filesystem.":workspace_roots"]
"." = "write"
"docs" = "read"
"docs/private" = "deny"
"docs/private/public" = "write"
"**/*.env" = "deny"
`;

const EXPECTED = {
  "/r/f": "RW",
  "/r/docs/f": "R-",
  "/r/docs/private/f": "--",
  "/r/docs/private/public/f": "RW",
  "/r/docs/a.env": "--",
  "/r/.git": "R-",
  "/o/f": "R-",
};

const SPELLINGS = {
  "the state of an MCP call": (place: SpecPlace) => place.state(RULES),
  "a JSON file": (place: SpecPlace) => place.file("p.json", JSON.stringify(place.wire(RULES))),
  "a TOML file": (place: SpecPlace) => place.file("p.toml", TOML),
} as const;

describe.each(USERS)("spellings as %s", (user) => {
  it.each(Object.entries(SPELLINGS))("cases 1, 37 and 57 from %s", (_, flagsOf) => {
    const files = Object.keys(EXPECTED).filter((name) => name !== "/r/.git");
    const place = new SpecPlace(user, ...files);
    expect(place.probe(flagsOf(place), Object.keys(EXPECTED))).toEqual(EXPECTED);
  });
});
