import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  type AbsolutePath,
  type Access,
  accessTo,
  parseAbsolutePath as at,
  type BoundEntry,
  type BoundProfile,
  bindProfile,
  isWithin,
  type UnixSockets,
} from "../../../src/policy/index.ts";
import { anyProfile, hostRoots, questions } from "../../policy/properties/arbitraries.ts";
import { campaign } from "../../support/campaign.ts";
import { type Judge, judgeOf } from "./support/evaluate-sbpl.ts";
import { policyFor } from "./support/plan-for.ts";

vi.setConfig({ testTimeout: 120_000 });

/** Any file rules under a network that Seatbelt can keep. */
const bound = fc
  .tuple(anyProfile, hostRoots, fc.constantFrom<UnixSockets>("none", "private", "host"))
  .map(([profile, host, unixSockets]): BoundProfile => {
    const { limits: _, ...made } = bindProfile(profile, host);
    return { ...made, enforcement: "managed", network: { kind: "restricted" }, unixSockets };
  });

const asked = bound.chain((profile) => questions(profile).map((paths) => ({ profile, paths })));

function entriesOf({ files }: BoundProfile): readonly BoundEntry[] {
  return files.type === "restricted" ? files.entries : [];
}

function accessBy(judge: Judge, path: AbsolutePath, reading: "characters" | "bytes") {
  const can = (operation: string) => judge({ operation, path, reading }) === "allow";
  const [reads, writes] = [can("file-read-data"), can("file-write-data")];
  expect([path, can("process-exec"), can("file-map-executable")]).toEqual([path, reads, reads]);
  expect([path, can("file-write-create"), can("file-write-mode")]).toEqual([path, writes, writes]);
  if (writes) return reads ? "write" : "write without read";
  return reads ? "read" : "deny";
}

/** Whether a folder is a writable root or leads to something that is not writable. */
function isPinned(profile: BoundProfile, path: AbsolutePath): boolean {
  if (profile.files.type === "unrestricted") return path === "/";
  const entries = entriesOf(profile);
  return entries.some((entry) => {
    if (entry.access !== "write") return isWithin(entry.path, path) && entry.path !== path;
    const names = entry.protects.map(({ name }) => at(`${entry.path}/${name}`));
    const closed = names.filter((one) => accessTo(profile, one) !== "write");
    return entry.path === path || closed.some((one) => isWithin(one, path) && one !== path);
  });
}

/** Which access a socket must lie under, for each end. */
const SOCKETS: Record<UnixSockets, Record<"remote" | "local", readonly Access[]>> = {
  none: { remote: [], local: [] },
  private: { remote: ["write"], local: ["write"] },
  host: { remote: ["read", "write"], local: ["write"] },
};

describe("the policy for Seatbelt", () => {
  it("allows what the profile allows and nothing else, on every path", () => {
    fc.assert(
      fc.property(asked, ({ profile, paths }) => {
        const judge = judgeOf(policyFor(profile));
        for (const path of paths) {
          const expected = [path, accessTo(profile, path)];
          expect([path, accessBy(judge, path, "characters")]).toEqual(expected);
          expect([path, accessBy(judge, path, "bytes")]).toEqual(expected);
        }
      }),
      campaign(3000),
    );
  });

  it("lets a path be removed or renamed only where nothing depends on its place", () => {
    fc.assert(
      fc.property(asked, ({ profile, paths }) => {
        const plain = withoutGlobs(profile);
        const judge = judgeOf(policyFor(plain));
        for (const path of paths) {
          const may = accessTo(plain, path) === "write" && !isPinned(plain, path);
          const verdict = judge({ operation: "file-write-unlink", path });
          expect([path, verdict]).toEqual([path, may ? "allow" : "deny"]);
        }
      }),
      campaign(3000),
    );
  });

  it("tells that a hidden folder exists only where it leads to an open one", () => {
    fc.assert(
      fc.property(asked, ({ profile, paths }) => {
        const judge = judgeOf(policyFor(profile));
        const open = entriesOf(profile).filter(({ access }) => access !== "deny");
        for (const path of paths.filter((one) => accessTo(profile, one) === "deny")) {
          const leads = open.some((entry) => isWithin(entry.path, path));
          if (leads) continue;
          expect([path, judge({ operation: "file-read-metadata", path })]).toEqual([path, "deny"]);
        }
      }),
      campaign(1000),
    );
  });

  it("reaches sockets by where they lie, as far as the profile says", () => {
    fc.assert(
      fc.property(asked, ({ profile, paths }) => {
        const judge = judgeOf(policyFor(profile));
        for (const path of paths) {
          const { remote, local } = SOCKETS[profile.unixSockets];
          const access = accessTo(profile, path);
          const found = [
            judge({ operation: "network-outbound", path, socket: "remote" }) === "allow",
            judge({ operation: "network-bind", path, socket: "local" }) === "allow",
          ];
          expect([path, found]).toEqual([path, [remote.includes(access), local.includes(access)]]);
        }
      }),
      campaign(1000),
    );
  });

  it("keeps what it takes away in every spelling that the disk takes for the same", () => {
    fc.assert(
      fc.property(asked, ({ profile: given, paths }) => {
        const profile = withWritableRoot(given);
        const judge = judgeOf(policyFor(profile));
        for (const path of paths.filter((one) => accessTo(profile, one) !== "write")) {
          const other = path.toUpperCase();
          expect([other, judge({ operation: "file-write-create", path: other })]).toEqual([
            other,
            "deny",
          ]);
        }
      }),
      campaign(1000),
    );
  });
});

/** The same rules on a disk that is otherwise writable, so that only they can close anything. */
function withWritableRoot(profile: BoundProfile): BoundProfile {
  const { files } = profile;
  if (files.type === "unrestricted") return profile;
  const rest = files.entries.filter(({ path }) => path !== "/");
  const root: BoundEntry = { path: at("/"), access: "write", protects: [], rule: "the root" };
  return { ...profile, files: { ...files, entries: [root, ...rest] } };
}

function withoutGlobs(profile: BoundProfile): BoundProfile {
  const { files } = profile;
  return files.type === "unrestricted" ? profile : { ...profile, files: { ...files, globs: [] } };
}
