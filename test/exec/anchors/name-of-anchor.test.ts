import { expect, it } from "vitest";
import { unknownAnchor } from "../../../src/exec/anchors/unknown-anchor.ts";
import { SessionAnchors } from "../../../src/exec/server/sessions/session-anchors.ts";

it.each(["nope", "a/b", ""])("a refusal calls the anchor %j what its client called it", (name) => {
  const { message } = unknownAnchor(new SessionAnchors(undefined).nameOf(name));
  expect(message).toContain(`Cannot use anchor "${name}":`);
});
