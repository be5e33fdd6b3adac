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

const WITH_READING = ["file-read-data", "process-exec", "file-map-executable"];
const WITH_WRITING = ["file-write-data", "file-write-create", "file-write-mode"];
const READINGS = ["characters", "bytes"] as const;

function entriesOf({ files }: BoundProfile): readonly BoundEntry[] {
  return files.type === "restricted" ? files.entries : [];
}

/** What may be done with a path: to execute goes with reading, to make and to change with writing. */
function answersBy(judge: Judge, path: AbsolutePath, reading: "characters" | "bytes") {
  const can = (operation: string) => judge({ operation, path, reading }) === "allow";
  const operations = [...WITH_READING, ...WITH_WRITING];
  return [path, reading, ...operations.map((one) => `${one} ${can(one)}`)].join(" ");
}

function answersFor(access: Access, path: AbsolutePath, reading: "characters" | "bytes") {
  const [reads, writes] = [access !== "deny", access === "write"];
  const read = WITH_READING.map((one) => `${one} ${reads}`);
  return [path, reading, ...read, ...WITH_WRITING.map((one) => `${one} ${writes}`)].join(" ");
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
        for (const reading of READINGS) {
          expect(paths.map((path) => answersBy(judge, path, reading))).toEqual(
            paths.map((path) => answersFor(accessTo(profile, path), path, reading)),
          );
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
        const free = paths.filter(
          (path) => accessTo(plain, path) === "write" && !isPinned(plain, path),
        );
        const operation = "file-write-unlink";
        expect(paths.filter((path) => judge({ operation, path }) === "allow")).toEqual(free);
      }),
      campaign(3000),
    );
  });

  it("tells that a hidden folder exists only where it leads to an open one", () => {
    fc.assert(
      fc.property(asked, ({ profile, paths }) => {
        const judge = judgeOf(policyFor(profile));
        const open = entriesOf(profile).filter(({ access }) => access !== "deny");
        const hidden = paths
          .filter((path) => accessTo(profile, path) === "deny")
          .filter((path) => !open.some((entry) => isWithin(entry.path, path)));
        const operation = "file-read-metadata";
        expect(hidden.filter((path) => judge({ operation, path }) !== "deny")).toEqual([]);
      }),
      campaign(1000),
    );
  });

  it("reaches sockets by where they lie, as far as the profile says", () => {
    fc.assert(
      fc.property(asked, ({ profile, paths }) => {
        const judge = judgeOf(policyFor(profile));
        const { remote, local } = SOCKETS[profile.unixSockets];
        const found = paths.map((path) => [
          path,
          judge({ operation: "network-outbound", path, socket: "remote" }) === "allow",
          judge({ operation: "network-bind", path, socket: "local" }) === "allow",
        ]);
        const expected = paths.map((path) => {
          const access = accessTo(profile, path);
          return [path, remote.includes(access), local.includes(access)];
        });
        expect(found).toEqual(expected);
      }),
      campaign(1000),
    );
  });

  it("keeps what it takes away in every spelling that the disk takes for the same", () => {
    fc.assert(
      fc.property(asked, ({ profile: given, paths }) => {
        const profile = withWritableRoot(given);
        const judge = judgeOf(policyFor(profile));
        const others = paths
          .filter((path) => accessTo(profile, path) !== "write")
          .map((path) => path.toUpperCase());
        const operation = "file-write-create";
        expect(others.filter((path) => judge({ operation, path }) !== "deny")).toEqual([]);
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
