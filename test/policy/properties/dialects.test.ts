import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  readCamelPolicy,
  readCanonicalProfile,
  readExecContext,
  readKebabPolicy,
  readSandboxState,
  writeCamelPolicy,
  writeCanonicalProfile,
  writeExecContext,
  writeKebabPolicy,
  writeSandboxState,
} from "../../../src/policy/index.ts";
import { campaign } from "../../support/campaign.ts";
import { execContext, sandboxPolicy, sandboxState, wireProfile } from "./spelling-arbitraries.ts";

vi.setConfig({ testTimeout: 60_000 });

interface Dialect<T> {
  read(value: unknown): T;
  write(value: T): unknown;
}

/** What is written reads as what was meant, as a value and as text, and writes back the same. */
function expectLossless<T>(value: T, { read, write }: Dialect<T>): void {
  const written = write(value);
  const text = JSON.stringify(written);
  expect(read(written)).toEqual(value);
  expect(read(JSON.parse(text))).toEqual(value);
  expect(JSON.parse(JSON.stringify(write(read(written))))).toEqual(JSON.parse(text));
}

function holds<T>(values: fc.Arbitrary<T>, dialect: Dialect<T>): void {
  fc.assert(
    fc.property(values, (value) => expectLossless(value, dialect)),
    campaign(2000),
  );
}

describe("a written policy reads as what was meant", () => {
  it("in the camelCase dialect", () => {
    holds(sandboxPolicy, { read: readCamelPolicy, write: writeCamelPolicy });
  });

  it("in the kebab-case dialect", () => {
    holds(sandboxPolicy, { read: readKebabPolicy, write: writeKebabPolicy });
  });

  it("in the canonical dialect", () => {
    holds(wireProfile, {
      read: readCanonicalProfile,
      write: (profile) => writeCanonicalProfile(profile, "carry"),
    });
  });

  it("in the exec dialect", () => {
    holds(execContext, {
      read: readExecContext,
      write: (context) => writeExecContext(context, "carry"),
    });
  });

  it("in every generation of the sandbox state", () => {
    holds(sandboxState, {
      read: readSandboxState,
      write: (state) => writeSandboxState(state, "carry"),
    });
  });
});

describe("a writer without an extension", () => {
  it("refuses limits, network rules and unix sockets, and otherwise loses nothing", () => {
    fc.assert(
      fc.property(wireProfile, (profile) => {
        const opened =
          profile.type !== "disabled" &&
          (profile.network.kind === "ruled" || profile.unixSockets !== "none");
        if (opened || profile.limits !== undefined) {
          expect(() => writeCanonicalProfile(profile, "refuse")).toThrow("Cannot write");
        } else {
          expect(readCanonicalProfile(writeCanonicalProfile(profile, "refuse"))).toEqual(profile);
        }
      }),
      campaign(2000),
    );
  });
});

describe("a state of the first generation, which has only a policy", () => {
  it("is refused where its profile says more than its policy", () => {
    fc.assert(
      fc.property(sandboxState, wireProfile, (state, profile) => {
        fc.pre(state.generation === "G1");
        let read: unknown;
        try {
          read = readSandboxState(writeSandboxState({ ...state, profile }, "carry")).profile;
        } catch {
          return;
        }
        expect(read).toEqual(profile);
      }),
      campaign(1000),
    );
  });
});

describe("a subpath that was read", () => {
  it("reads again from what is written of it", () => {
    const name = fc.constantFrom(".", "", "C:", "c:x", "a");
    fc.assert(
      fc.property(fc.array(name, { maxLength: 4 }), (names) => {
        const value = { kind: "project_roots", subpath: names.join("/") };
        const entry = { path: { type: "special", value }, access: "deny" };
        const wire = {
          type: "managed",
          file_system: { type: "restricted", entries: [entry] },
          network: "restricted",
        };
        let profile: ReturnType<typeof readCanonicalProfile>;
        try {
          profile = readCanonicalProfile(wire);
        } catch {
          return;
        }
        expect(readCanonicalProfile(writeCanonicalProfile(profile, "carry"))).toEqual(profile);
      }),
      campaign(1000),
    );
  });
});
