import { describe, expect, it } from "vitest";
import { NoAnswer, sentOnce } from "../../../../src/session/provider/vercel/sent-once.ts";

const broken = () => new ReadableStream({ start: (body) => body.error(new Error("cut")) });

describe("sentOnce", () => {
  it.each([429, 500, 503])(
    "is no answer that is asked for again where %i breaks off within its text",
    async (status) => {
      const send = sentOnce(async () => new Response(broken(), { status }));
      const error = await send("http://127.0.0.1/").catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(NoAnswer);
      expect(error).toMatchObject({ name: "AbortError", status });
    },
  );
});
