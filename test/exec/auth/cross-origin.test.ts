import { describe, expect, it, vi } from "vitest";
import { createAuthorize } from "../../../src/exec/auth/bearer-auth.ts";
import { answerTo, listen, upgradeLines } from "./support/upgrade.ts";

const authorize = createAuthorize({ kind: "none" });
const FORBIDDEN = { status: 403, body: "" };

describe("I5: a page in a browser on this machine", () => {
  it.each([
    ["of another site", "http://evil.example", "127.0.0.1:1"],
    ["whose name was rebound to this address", "http://evil.example", "evil.example"],
    ["served from this machine", "http://127.0.0.1:8080", "127.0.0.1:1"],
    ["that claims to be the listener itself", "http://localhost", "localhost"],
    ["in a sandboxed frame or a file", "null", "127.0.0.1:1"],
    ["of an extension", "chrome-extension://abc", "127.0.0.1:1"],
  ])("%s opens no connection", async (_, origin, host) => {
    const accept = vi.fn();
    const listener = await listen({ authorize, accept });
    const lines = upgradeLines([`Origin: ${origin}`], host);
    expect(await answerTo(listener, lines)).toEqual(FORBIDDEN);
    expect(accept).not.toHaveBeenCalled();
  });

  it("cannot post or preflight across origins", async () => {
    const listener = await listen({ authorize });
    for (const verb of ["POST", "OPTIONS", "PUT", "GET"]) {
      const lines = `${verb} /readyz HTTP/1.0\r\nHost: a\r\nContent-Length: 0\r\nOrigin: http://a`;
      expect(await answerTo(listener, lines)).toEqual(FORBIDDEN);
    }
  });

  it("learns from a plain request under a rebound name only that somebody listens", async () => {
    const accept = vi.fn();
    const listener = await listen({ authorize, accept });
    const get = (path: string) => answerTo(listener, `GET ${path} HTTP/1.0\r\nHost: evil.example`);
    expect(await get("/readyz")).toEqual({ status: 200, body: "" });
    expect(await get("/")).toMatchObject({ status: 400 });
    expect(await get("/else")).toEqual(await get("/"));
    expect(accept).not.toHaveBeenCalled();
  });

  it("is told from a program, which sends no Origin", async () => {
    const listener = await listen({ authorize });
    expect(await answerTo(listener, upgradeLines())).toEqual({ status: 101, body: "" });
  });
});
