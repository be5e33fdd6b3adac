import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bindElsewhere } from "../../../src/app-server/policy/bind-elsewhere.ts";
import type { ChosenPolicy } from "../../../src/app-server/policy/chosen-policy.ts";
import type { PolicyAsk } from "../../../src/app-server/policy/policy-ask.ts";
import { PolicyChooser } from "../../../src/app-server/policy/policy-chooser.ts";
import {
  accessTo,
  parseAbsolutePath as at,
  firstWidening,
  type SandboxPolicy,
} from "../../../src/policy/index.ts";
import { RpcError } from "../../../src/rpc/index.ts";
import { campaign } from "../../support/campaign.ts";
import {
  asking,
  CWD,
  chooserOver,
  HOST,
  loadOver,
  type Settings,
  type Table,
} from "./support/choosing.ts";

const PLACES = [":root", ":workspace_roots", "/r/a", "/r/a/b", "/s", "/s/t", ":tmpdir"];

/** The workspace is "/r" here and "/e/ws" there. */
const HERE_OR_THERE = [":root", ":workspace_roots", "/r", "/r/a", "/e/ws", "/e/ws/a"];
const ACCESS = ["read", "write", "deny"] as const;

const table: fc.Arbitrary<Table> = fc.record({
  filesystem: fc
    .uniqueArray(fc.constantFrom(...PLACES), { minLength: 1 })
    .chain((places) =>
      fc
        .tuple(...places.map(() => fc.constantFrom("read", "write", "deny")))
        .map((words) =>
          Object.fromEntries(places.map((place, index) => [place, words[index] ?? "read"])),
        ),
    ),
  network: fc.record({ enabled: fc.boolean() }),
});

const POLICIES: readonly SandboxPolicy[] = [
  { type: "dangerFullAccess" },
  { type: "readOnly", access: { type: "fullAccess" }, networkAccess: true },
  {
    type: "workspaceWrite",
    writableRoots: ["/s"],
    readOnlyAccess: { type: "fullAccess" },
    networkAccess: false,
    excludeTmpdirEnvVar: false,
    excludeSlashTmp: false,
  },
];
const coarse = fc.constantFrom(...POLICIES);

const NAMED: PolicyAsk = { kind: "named", id: "own" };
const NOTHING: PolicyAsk = { kind: "nothing" };

/** What came of it, or nothing where it was refused with a sentence. */
async function unlessRefused(choose: () => Promise<ChosenPolicy>) {
  try {
    return await choose();
  } catch (error) {
    if (error instanceof RpcError) return undefined;
    throw error;
  }
}

describe("the policy of a thread that goes on", () => {
  it("F08 never allows more than it did, whatever became of its name", async () => {
    let followed = 0;
    await fc.assert(
      fc.asyncProperty(table, fc.option(table), async (before, after) => {
        let settings: Settings = { profiles: { own: before } };
        const chooser = chooserOver(() => settings);
        const kept = await unlessRefused(() => chooser.choose(asking(NAMED)));
        fc.pre(kept !== undefined);
        settings = { profiles: after === null ? {} : { own: after } };
        const resumed = await unlessRefused(() => chooser.resume(asking(NOTHING), kept));
        if (resumed === undefined) return;
        followed += 1;
        expect(firstWidening(resumed.bound, kept.bound)).toBeUndefined();
        expect(resumed.state).toBe(after === null ? "removed" : resumed.state);
      }),
      campaign(2000),
    );
    expect(followed).toBeGreaterThan(0);
  });

  it("N14 N15 keeps every deny through coarse overrides, also through full access", async () => {
    let tried = 0;
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.array(coarse, { minLength: 1, maxLength: 4 }),
        async (own, asks) => {
          const chooser = chooserOver(() => ({ profiles: { own } }));
          let current = await unlessRefused(() => chooser.choose(asking(NAMED)));
          fc.pre(current !== undefined);
          const paths = ["/r", "/r/a", "/r/a/b", "/s", "/s/t"].map((path) => at(path));
          const { bound } = current;
          const denied = paths.filter((path) => accessTo(bound, path) === "deny");
          const isNamed = denied.filter((path) => Object.hasOwn(own.filesystem, path));
          for (const policy of asks) {
            const held: ChosenPolicy = current;
            const next = await unlessRefused(() =>
              chooser.override(asking({ kind: "policy", policy }), held),
            );
            current = next ?? held;
            tried += next === undefined ? 0 : 1;
            const now = current.bound;
            expect(isNamed.filter((path) => accessTo(now, path) !== "deny")).toEqual([]);
          }
        },
      ),
      campaign(1000),
    );
    expect(tried).toBeGreaterThan(0);
  });

  it.each<SandboxPolicy["type"]>(["dangerFullAccess", "readOnly", "workspaceWrite"])(
    "N14 takes a %s override, and leaves the denies standing",
    async (type) => {
      const own = { filesystem: { ":root": "read", "/s/t": "deny" } };
      const chooser = chooserOver(() => ({ profiles: { own } }));
      const first = await chooser.choose(asking(NAMED));
      const policy = POLICIES.find((one) => one.type === type) ?? { type: "dangerFullAccess" };
      const next = await chooser.override(asking({ kind: "policy", policy }), first);
      expect(next.policy.origin).toEqual({ kind: "policy" });
      expect(accessTo(next.bound, at("/s/t/x"))).toBe("deny");
      expect(accessTo(next.bound, at("/s/u"))).toBe(type === "readOnly" ? "read" : "write");
    },
  );

  it("F08 never allows more on another machine either, where its folders are others", async () => {
    const there = { cwd: "/e/ws", workspaceRoots: ["/e/ws"] };
    const elsewhere = { from: there, to: there };
    const boundThere = ({ policy }: ChosenPolicy) => bindElsewhere(policy.profile, there);
    const words = fc.record({
      filesystem: fc.dictionary(fc.constantFrom(...HERE_OR_THERE), fc.constantFrom(...ACCESS)),
      network: fc.record({ enabled: fc.boolean() }),
    });
    let followed = 0;
    await fc.assert(
      fc.asyncProperty(words, words, async (before, after) => {
        let settings: Settings = { profiles: { own: before } };
        const chooser = chooserOver(() => settings);
        const kept = await unlessRefused(() => chooser.choose(asking(NAMED)));
        fc.pre(kept !== undefined);
        settings = { profiles: { own: after } };
        const asked = { ...asking(NOTHING), elsewhere };
        const resumed = await unlessRefused(() => chooser.resume(asked, kept));
        if (resumed === undefined) return;
        followed += 1;
        expect(firstWidening(boundThere(resumed), boundThere(kept))).toBeUndefined();
      }),
      campaign(1000),
    );
    expect(followed).toBeGreaterThan(0);
  });

  it("N24 follows a name that allows less now, and says that it was redefined", async () => {
    let settings: Settings = {
      profiles: { own: { filesystem: { ":root": "read", ":workspace_roots": "write" } } },
    };
    const chooser = chooserOver(() => settings);
    const kept = await chooser.choose(asking(NAMED));
    settings = { profiles: { own: { filesystem: { ":root": "read" } } } };
    const narrower = await chooser.resume(asking(NOTHING), kept);
    expect(narrower.state).toBe("redefined");
    expect(accessTo(narrower.bound, at("/r/x"))).toBe("read");
    settings = { profiles: { own: { filesystem: { ":root": "write" } } } };
    const wider = await chooser.resume(asking(NOTHING), kept);
    expect(wider.state).toBe("redefined");
    expect(accessTo(wider.bound, at("/etc/x"))).toBe("read");
    expect(accessTo(wider.bound, at("/r/x"))).toBe("write");
  });

  it("N24 goes on with what was agreed to where a ceiling refuses what its name means by now", async () => {
    const allowedModes = ["read-only", "workspace-write"] as const;
    const ceilings = [{ source: "/etc/ceiling", allowedModes, denies: [] }];
    const own = { filesystem: { ":root": "read", ":workspace_roots": "write" } };
    let settings: Settings = { profiles: { own }, ceilings };
    const chooser = chooserOver(() => settings);
    const kept = await chooser.choose(asking(NAMED));
    settings = { profiles: { own: { filesystem: { ":root": "write" } } }, ceilings };
    const resumed = await chooser.resume(asking(NOTHING), kept);
    expect(resumed).toMatchObject({ state: "redefined", policy: kept.policy });
  });

  it("C15 drops roots that were given before when a coarse policy replaces it", async () => {
    const chooser = chooserOver(() => ({ profiles: {} }));
    const first = await chooser.choose({
      ...asking({ kind: "named", id: ":workspace" }),
      roots: ["/r", "/s"],
    });
    expect(accessTo(first.bound, at("/s/x"))).toBe("write");
    const policy: SandboxPolicy = {
      type: "workspaceWrite",
      writableRoots: [],
      readOnlyAccess: { type: "fullAccess" },
      networkAccess: false,
      excludeTmpdirEnvVar: true,
      excludeSlashTmp: true,
    };
    const next = await chooser.override(asking({ kind: "policy", policy }), first);
    expect(accessTo(next.bound, at("/s/x"))).toBe("read");
    expect(accessTo(next.bound, at("/r/x"))).toBe("write");
  });

  it("moves the workspace with the folder, and leaves the old one", async () => {
    const chooser = chooserOver(() => ({ profiles: {} }));
    const first = await chooser.choose(asking({ kind: "named", id: ":workspace" }));
    const moved = await chooser.override({ ...asking(NOTHING), cwd: "/s" }, first);
    expect(moved.place).toEqual({ cwd: "/s", workspaceRoots: ["/s"] });
    expect(accessTo(moved.bound, at("/r/x"))).toBe("read");
  });

  it("refuses a policy over the ceiling at the start, as an override and when it goes on", async () => {
    const ceiling = { source: "/etc/ceiling", allowedModes: ["read-only"], denies: [] } as const;
    let settings: Settings = { profiles: {} };
    const chooser = chooserOver(() => settings);
    const kept = await chooser.choose(asking({ kind: "mode", mode: "workspace-write" }));
    settings = { profiles: {}, ceilings: [ceiling] };
    const wide = asking({ kind: "mode", mode: "workspace-write" });
    await expect(chooser.choose(wide)).rejects.toThrow(/^invalid sandbox policy: .*\/etc\/ceiling/);
    await expect(chooser.override(asking(NOTHING), kept)).rejects.toThrow(
      /^invalid thread settings override: .*ReadOnly/,
    );
    await expect(chooser.resume(asking(NOTHING), kept)).rejects.toThrow(/^invalid sandbox policy/);
    const narrow = asking({ kind: "mode", mode: "read-only" });
    expect((await chooser.resume(narrow, kept)).policy.origin).toEqual({ kind: "policy" });
  });

  it("tells a policy that cannot be had here from one that is not allowed", async () => {
    const chooser = chooserOver(() => ({ profiles: {} }));
    const everywhere = { ...asking({ kind: "mode", mode: "workspace-write" }), cwd: "/" } as const;
    await expect(chooser.choose(everywhere)).rejects.toMatchObject({
      code: "internalError",
      message: expect.stringMatching(/^error applying sandbox policy: /),
    });
  });
});

describe("a turn of a thread of which nothing changed", () => {
  const ask = asking(NOTHING);

  it("goes on under what was put under the bounds of this host", async () => {
    const kept = keeping({ profiles: { own: OWN } });
    const chosen = await kept.chooser.choose(asking(NAMED));
    expect((await kept.chooser.override(ask, chosen)).bound).toBe(chosen.bound);
  });

  it.each<[string, Partial<typeof ask>]>([
    ["asks for another policy", { ask: NAMED }],
    ["names another folder", { cwd: "/r/a" }],
    ["names roots", { roots: [CWD] } as object],
  ])("is put under them again where it %s", async (_, change) => {
    const kept = keeping({ profiles: { own: OWN } });
    const chosen = await kept.chooser.choose(asking(NAMED));
    const next = await kept.chooser.override({ ...ask, ...change }, chosen);
    expect(next.bound).not.toBe(chosen.bound);
  });

  it("is refused where a ceiling was lowered, and where its folder leads elsewhere", async () => {
    const kept = keeping({ profiles: { own: OWN } });
    const chosen = await kept.chooser.choose(asking(NAMED));
    kept.change({ profiles: { own: OWN }, ceilings: [LOWERED] });
    await expect(kept.chooser.override(ask, chosen)).rejects.toThrow(RpcError);
    const turned = { ...chosen, seen: [{ path: CWD, real: "/elsewhere" }] };
    kept.change({ profiles: { own: OWN } });
    await expect(kept.chooser.override(ask, turned)).rejects.toThrow("leads to");
  });
});

const OWN: Table = { filesystem: { ":root": "read", ":workspace_roots": "write" } };
const LOWERED = { source: "/etc/ceiling", allowedModes: ["read-only"], denies: [] } as const;

/** A chooser for which nothing changes unless the test says so. */
function keeping(settings: Settings) {
  const loaded = (now: Settings) => loadOver(() => now)(CWD, {});
  let config = loaded(settings);
  return {
    chooser: new PolicyChooser({ host: HOST, home: "/home/user", load: () => config }),
    change: (now: Settings) => {
      config = loaded(now);
    },
  };
}
