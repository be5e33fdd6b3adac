/** Generators for questions and for calls, which meet the tables often. */
import fc from "fast-check";
import type { FilterQuestion } from "../../../../src/sandbox/linux/seccomp/filter-for.ts";
import { AUDIT_ARCH } from "../../../../src/sandbox/linux/seccomp/seccomp-abi.ts";
import type { SystemCall } from "./run-filter.ts";

export const anyQuestion: fc.Arbitrary<FilterQuestion> = fc.record({
  arch: fc.constantFrom("x64", "arm64"),
  network: fc.constantFrom("off", "proxied", "on"),
  unixSockets: fc.constantFrom("none", "private", "host"),
});

export const anyNumber: fc.Arbitrary<number> = fc.oneof(
  { weight: 6, arbitrary: fc.nat(600) },
  { weight: 1, arbitrary: fc.integer() },
  { weight: 1, arbitrary: fc.nat(600).map((nr) => nr + 0x4000_0000) },
);

const anyArgument: fc.Arbitrary<bigint> = fc.oneof(
  fc.bigInt({ min: 0n, max: 20n }),
  fc.constantFrom(0x1000_0000n, 0x5412n, 0x541cn, 0o020644n, 0x0004_0000n, 0x8_0001n),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
);

export const anyArguments = fc.array(anyArgument, { maxLength: 6 });

export const anyCall: fc.Arbitrary<SystemCall> = fc.record({
  arch: fc.oneof(fc.constantFrom(...Object.values(AUDIT_ARCH)), fc.nat(0xffff_ffff)),
  nr: anyNumber,
  args: anyArguments,
});
