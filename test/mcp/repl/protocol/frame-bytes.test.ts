import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FrameBytes } from "../../../../src/mcp/repl/protocol/frame-bytes.ts";
import { campaign } from "../../../support/campaign.ts";

describe("FrameBytes", () => {
  it("gives back line feeds and changes nothing else, whatever lies beside them", () => {
    const frame = new FrameBytes();
    const near = fc.constantFrom(0x1f, 0x1e, 0x20, 0x0a, 0x9f, 0x00, 0x80, 0xff, 0x5f);
    const bytes = fc.array(fc.oneof(near, fc.nat(255)), { maxLength: 40 });
    const same = fc.property(bytes, (sent) => {
      const wanted = sent.map((byte) => (byte === 0x1f ? 0x0a : byte));
      expect([...frame.restore(Uint8Array.from(sent))]).toEqual(wanted);
    });
    fc.assert(same, campaign(20_000));
  });
});
