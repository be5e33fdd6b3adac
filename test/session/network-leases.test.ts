import { describe, expect, it } from "vitest";
import { effectiveNetwork, type NetworkPolicy } from "../../src/session/effective-network.ts";
import { NetworkLeases } from "../../src/session/network-leases.ts";
import { SessionError } from "../../src/session/session-error.ts";
import { settle } from "./support/fake-clock.ts";
import { NEVER, sessionLab } from "./support/session-lab.ts";

const github = { domain: "api.github.test", headers: { Authorization: "Bearer 1" } };
const sentry = { domain: "sentry.test", headers: { Authorization: "Bearer 2" } };
const rule = ({ headers }: typeof github) => [{ headers }];

function leasesOn(base: NetworkPolicy) {
  const applied: NetworkPolicy[] = [];
  const faults: unknown[] = [];
  const apply = async (policy: NetworkPolicy) => {
    await settle();
    const fault = faults.shift();
    if (fault !== undefined) throw fault;
    applied.push(policy);
  };
  return { leases: new NetworkLeases(base, { apply }), applied, faults };
}

describe("what is in force", () => {
  it("case 66: is everything and the domain's rule where all is open", () => {
    expect(effectiveNetwork("allow-all", [github])).toEqual({
      allow: { "*": [], [github.domain]: rule(github) },
    });
  });

  it("case 67: keeps the domains of a list and opens no other", () => {
    const base = { allow: { "npm.test": [] } };
    expect(effectiveNetwork(base, [github])).toEqual({
      allow: { "npm.test": [], [github.domain]: rule(github) },
    });
    expect(effectiveNetwork(base, [])).toBe(base);
  });

  it("case 71, D3: is the leased domains and nothing else where all is denied", () => {
    expect(effectiveNetwork("deny-all", [github])).toEqual({
      allow: { [github.domain]: rule(github) },
    });
    expect(effectiveNetwork({ allow: {} }, [github])).toEqual({
      allow: { [github.domain]: rule(github) },
    });
  });
});

describe("leases", () => {
  it("case 72, D2: overlap, each with its headers to its end; then the base is back", async () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const { leases, applied } = leasesOn("deny-all");
      const ends = await Promise.all([leases.lease([github]), leases.lease([sentry])]);
      const both = { [github.domain]: rule(github), [sentry.domain]: rule(sentry) };
      expect(applied.at(-1)).toEqual({ allow: both });
      const [first = 0, second = 1] = order;
      await ends[first]?.();
      const left = first === 0 ? sentry : github;
      expect(applied.at(-1)).toEqual({ allow: { [left.domain]: rule(left) } });
      await ends[second]?.();
      expect(applied.at(-1)).toBe("deny-all");
    }
  });

  it("case 73, D2: never hold what a provider shows in place of a value", async () => {
    const { leases, applied } = leasesOn("allow-all");
    const [one, two] = [await leases.lease([github]), await leases.lease([sentry])];
    await one();
    expect(applied.at(-1)).toMatchObject({ allow: { [sentry.domain]: rule(sentry) } });
    await two();
    expect(applied.at(-1)).toBe("allow-all");
  });

  it("case 75: of the same grant are counted, and change nothing in between", async () => {
    const { leases, applied } = leasesOn("deny-all");
    const ends = [await leases.lease([github]), await leases.lease([github])];
    expect(applied).toHaveLength(1);
    await ends[0]?.();
    await ends[0]?.();
    expect(applied).toHaveLength(1);
    await ends[1]?.();
    expect(applied.at(-1)).toBe("deny-all");
  });

  it("case 70: without a domain or a header ask nothing of the provider", async () => {
    const { leases, applied } = leasesOn("deny-all");
    const blank = { domain: " ", headers: { A: "1" } };
    const end = await leases.lease([blank, { domain: "a.test", headers: {} }]);
    await end();
    expect(applied).toEqual([]);
  });

  it("change one after the other, so that the last that is sent is the last that counts", async () => {
    const order: string[] = [];
    const slow = Promise.withResolvers<void>();
    const apply = async (policy: NetworkPolicy) => {
      order.push("begin");
      if (order.length === 1) await slow.promise;
      order.push(policy === "deny-all" ? "none" : "some");
    };
    const leases = new NetworkLeases("deny-all", { apply });
    const both = [leases.lease([github]), leases.lease([sentry])];
    await settle();
    expect(order).toEqual(["begin"]);
    slow.resolve();
    await Promise.all(both);
    expect(order).toEqual(["begin", "some", "begin", "some"]);
  });

  it("refuse another value of a header that somebody uses", async () => {
    const { leases } = leasesOn("deny-all");
    const end = await leases.lease([github]);
    const other = { ...github, headers: { Authorization: "Bearer 9" } };
    await expect(leases.lease([other])).rejects.toMatchObject({ code: "exists" });
    await end();
    await expect(leases.lease([other])).resolves.toBeTypeOf("function");
  });

  it("that fail leave nothing leased", async () => {
    const { leases, applied, faults } = leasesOn("deny-all");
    faults.push(new SessionError("unavailable", "no"));
    await expect(leases.lease([github])).rejects.toMatchObject({ code: "unavailable" });
    await (await leases.lease([sentry]))();
    expect(applied).toEqual([{ allow: { [sentry.domain]: rule(sentry) } }, "deny-all"]);
  });
});

describe("a command with leases", () => {
  function lab(faults: unknown[] = []) {
    const applied: NetworkPolicy[] = [];
    const apply = async (policy: NetworkPolicy) => {
      const fault = faults.shift();
      if (fault) throw fault;
      applied.push(policy);
    };
    const network = { base: "deny-all", portOf: () => ({ apply }) } as const;
    const made = sessionLab({ network });
    const call = { by: "bash", argv: ["true"], network: [github], signal: NEVER } as const;
    return { ...made, applied, run: () => made.session.run(call) };
  }

  it("is refused before there is a sandbox where the provider has no rules for domains", async () => {
    const { session, provider } = sessionLab();
    const call = { by: "bash", argv: ["true"], network: [github], signal: NEVER } as const;
    await expect(session.run(call)).rejects.toMatchObject({ code: "unsupported" });
    expect(provider.created).toEqual([]);
  });

  it("has them while it runs", async () => {
    const { run, applied } = lab();
    await run();
    expect(applied).toEqual([{ allow: { [github.domain]: rule(github) } }, "deny-all"]);
  });

  it("case 74: does not run where they cannot be put in force", async () => {
    const { run, provider } = lab([new SessionError("unavailable", "no")]);
    await expect(run()).rejects.toMatchObject({ code: "unavailable" });
    expect(provider.at(1).commands).toEqual([]);
  });

  it("case 69: loses its sandbox where they cannot be taken back, and the error surfaces", async () => {
    const { run, provider, bash } = lab([undefined, new SessionError("timeout", "no")]);
    await expect(run()).rejects.toMatchObject({ code: "timeout" });
    await settle();
    expect(provider.alive).toEqual([]);
    await bash("true");
    expect(provider.at(2).commands).toHaveLength(1);
  });

  it("case 68: fails with its own error where both fail", async () => {
    const { run, provider } = lab([undefined, new SessionError("timeout", "no")]);
    provider.onCreate = ({ faults }) => faults.run.push(new SessionError("forbidden", "no"));
    await expect(run()).rejects.toMatchObject({ code: "forbidden" });
    await settle();
    expect(provider.alive).toEqual([]);
  });
});
