import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { planRedirect } from "../../../src/exec/server/http/plan-redirect.ts";
import type { PlannedRequest } from "../../../src/exec/server/http/read-http-request.ts";
import { allowed, type Target, target, textOf } from "./support/http-rig.ts";

/** Redirects everything but `/end`. */
function redirecting(status: number, location: () => string): Promise<Target> {
  return target((request, response) => {
    if (request.url === "/end") response.end("end");
    else response.writeHead(status, { Location: location() }).end("moved");
  });
}

describe("88: a redirect", () => {
  it("is brought back as it is under the policy stop", async () => {
    const { url, seen } = await redirecting(302, () => "/end");
    const reply = await allowed().ask({ url, redirectPolicy: "stop" });
    expect(reply.result?.status).toBe(302);
    expect(reply.result?.headers).toContainEqual({ name: "location", value: "/end" });
    expect(textOf(reply)).toBe("moved");
    expect(seen).toHaveLength(1);
  });

  it.each([301, 302, 303, 307, 308])("%i is followed otherwise", async (status) => {
    const { url, seen } = await redirecting(status, () => "/end");
    const reply = await allowed().ask({ url });
    expect(reply.result?.status).toBe(200);
    expect(textOf(reply)).toBe("end");
    expect(seen.map(({ line }) => line)).toEqual(["GET /", "GET /end"]);
  });

  it("is followed to a streamed body too", async () => {
    const { url } = await redirecting(302, () => "/end");
    const rig = allowed();
    expect((await rig.ask({ url, streamResponse: true })).result?.status).toBe(200);
    expect((await rig.rest()).body.toString()).toBe("end");
  });

  it("lets go of the answer that redirected", async () => {
    const gone = Promise.withResolvers<unknown>();
    const { url } = await target((request, response) => {
      if (request.url === "/end") return response.flushHeaders();
      gone.resolve(once(request.socket, "close"));
      response.writeHead(302, { Location: "/end" }).write("and on and on");
    });
    const rig = allowed();
    expect((await rig.ask({ url, streamResponse: true })).result?.status).toBe(200);
    await gone.promise;
  });

  it("is followed ten times and no more", async () => {
    const { url, seen } = await target((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end("there");
      else response.writeHead(302, { Location: `/${left - 1}` }).end();
    });
    expect(textOf(await allowed().ask({ url: `${url}/10` }))).toBe("there");
    expect(seen).toHaveLength(11);
    const { error } = await allowed().ask({ url: `${url}/11` });
    expect(error).toEqual({
      code: -32603,
      message: "http/request failed: it was redirected more than 10 times",
    });
    expect(seen).toHaveLength(22);
  });

  it.each([
    ["file:///etc/passwd", "it was redirected to what is neither http nor https"],
    ["http://", "it was redirected to what is not a URL"],
  ])("to %s fails", async (location, why) => {
    const { url } = await redirecting(302, () => location);
    const { error } = await allowed().ask({ url });
    expect(error).toEqual({ code: -32603, message: `http/request failed: ${why}` });
  });

  it("without a place is an answer", async () => {
    const { url } = await target((_, response) => response.writeHead(302).end("where"));
    expect(textOf(await allowed().ask({ url }))).toBe("where");
  });

  it("takes no credential to another origin, and brings none back from there", async () => {
    const first = await redirecting(307, () => `${second.url}/`);
    const second = await redirecting(307, () => `${first.url}/end`);
    const headers = [
      { name: "Authorization", value: "Bearer a" },
      { name: "Cookie", value: "a=1" },
      { name: "X-Api-Key", value: "k" },
      { name: "X-Plain", value: "", valueEnvVar: "THEIRS" },
      { name: "Host", value: "first.example" },
      { name: "Accept", value: "text/plain" },
    ];
    await allowed({ THEIRS: "s3cret" }).ask({ url: first.url, headers });
    expect(first.seen[0]?.headers).toMatchObject({
      authorization: "Bearer a",
      "x-plain": "s3cret",
    });
    for (const there of [second.seen[0], first.seen[1]]) {
      expect(there?.headers).toEqual({
        accept: "text/plain",
        connection: "close",
        host: expect.stringMatching(/^127\.0\.0\.1:/),
      });
    }
  });

  it("keeps credentials within one origin", async () => {
    const { url, seen } = await redirecting(302, () => `${url}/end`);
    const headers = [{ name: "Authorization", value: "a" }];
    await allowed().ask({ url, headers });
    expect(seen[1]?.headers.authorization).toBe("a");
  });
});

describe("planRedirect", () => {
  const request: PlannedRequest = {
    method: "POST",
    url: new URL("https://one.example/a/b"),
    headers: [
      { name: "Content-Type", value: "text/plain", fromVariable: false },
      { name: "Token", value: "t", fromVariable: false },
    ],
    body: Buffer.from("body"),
  };

  it.each([
    [301, "POST", "GET"],
    [302, "POST", "GET"],
    [303, "POST", "GET"],
    [303, "PUT", "GET"],
    [302, "PUT", "PUT"],
    [303, "HEAD", "HEAD"],
    [307, "POST", "POST"],
    [308, "POST", "POST"],
  ])("%i makes of %s a %s", (status, method, then) => {
    const next = planRedirect({ ...request, method }, { status, location: "c" });
    expect(next).toMatchObject({ method: then, url: new URL("https://one.example/a/c") });
    const keepsBody = then === method;
    expect(next?.body).toBe(keepsBody ? request.body : undefined);
    expect(next?.headers.some(({ name }) => name === "Content-Type")).toBe(keepsBody);
  });

  it.each([
    ["a scheme without encryption", "http://one.example/"],
    ["another port", "https://one.example:444/"],
    ["a name below it", "https://two.one.example/"],
  ])("counts %s as another origin", (_, location) => {
    const next = planRedirect(request, { status: 307, location });
    expect(next?.headers.map(({ name }) => name)).toEqual(["Content-Type"]);
  });

  it.each([200, 204, 300, 304, 404])("leaves %i alone", (status) => {
    expect(planRedirect(request, { status, location: "c" })).toBeUndefined();
  });
});
