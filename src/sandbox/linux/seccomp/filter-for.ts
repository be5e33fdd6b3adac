/**
 * The filter of a sandbox: all calls are allowed but those of the tables.
 *
 * It closes what mounts and namespaces cannot: it does not decide which paths or hosts are
 * reachable. Terminal injection is refused with and without a terminal, since a descriptor of one
 * may be inherited. Programs may add filters and Landlock rules of their own: they only narrow.
 */
import { ACTION } from "./action.ts";
import type { Step } from "./assemble.ts";
import { type ArgumentTest, DENIED_CALLS, type DeniedCall } from "./denied-calls.ts";
import {
  AUDIT_ARCH,
  argumentOffset,
  type LinuxArch,
  SECCOMP_ABI,
  upperHalfOffset,
} from "./seccomp-abi.ts";
import { socketJumps, socketSteps } from "./socket-steps.ts";

export interface FilterQuestion {
  readonly arch: LinuxArch;
  /** `off` and `proxied` have a network namespace of their own, `on` has the host's. */
  readonly network: "off" | "proxied" | "on";
  /**
   * AF_UNIX sockets: none, those of this sandbox, or whatever the mounts let it reach. With the
   * host's network, `private` is as strict as `none`.
   */
  readonly unixSockets: "none" | "private" | "host";
}

/** On x64, x32 calls have this bit set; no other call has a number as large. */
const X32_CALL_BIT = 0x4000_0000;
/** Calls of x32 alone. Kernels before 5.4 also run them without the bit, see seccomp(2). */
const X32_ONLY = { first: 512, beyond: 548 } as const;

/** The steps of the filter; `assemble` turns them into bytes. */
export function filterFor(question: FilterQuestion): Step[] {
  return filterWith(DENIED_CALLS, question);
}

/** The same for another table, whose order does not matter. */
export function filterWith(calls: readonly DeniedCall[], question: FilterQuestion): Step[] {
  const { arch } = question;
  const known = calls.flatMap((call) => {
    const number = call.numbers[arch];
    return number === undefined ? [] : [{ ...call, number }];
  });
  const tests: Step[] = [
    ...nativeOnly(arch),
    ...known.map(({ number, name, errno, when }) => ({
      equals: number,
      goto: when ? name : errno,
    })),
    ...socketJumps(arch),
    { ret: ACTION.allow },
    ...known.flatMap((call) => (call.when ? testSteps(call, call.when) : [])),
    ...socketSteps({ unix: mayMakeUnixSockets(question) }),
  ];
  return [...tests, ...answersTo(tests)];
}

/** The answers that the tests jump to. */
function answersTo(tests: readonly Step[]): Step[] {
  const wanted = new Set(tests.flatMap((step) => ("goto" in step ? [step.goto] : [])));
  const names = ["allow", "ENOSYS", "EPERM", "SUCCESS"] as const;
  return names
    .filter((name) => wanted.has(name))
    .flatMap((name) => [{ label: name }, { ret: ACTION[name] }]);
}

/**
 * In the host's network namespace an AF_UNIX socket reaches the abstract sockets of the host
 * (D-Bus, X11), which no mount hides: private ones can then not be told from the host's.
 */
function mayMakeUnixSockets({ network, unixSockets }: FilterQuestion): boolean {
  return unixSockets === "host" || (unixSockets === "private" && network !== "on");
}

/**
 * Kills other architectures, whose numbers mean other calls, and leaves the number loaded.
 *
 * x32 shares the architecture of x64. Its calls get ENOSYS, what most kernels answer to them.
 */
function nativeOnly(arch: LinuxArch): Step[] {
  return [
    { load: SECCOMP_ABI.arch },
    { equals: AUDIT_ARCH[arch], goto: "native" },
    { ret: ACTION.kill },
    { label: "native" },
    { load: SECCOMP_ABI.number },
    ...(arch === "x64" ? notX32() : []),
  ];
}

function notX32(): Step[] {
  return [
    { atLeast: X32_CALL_BIT, goto: "ENOSYS" },
    { atLeast: X32_ONLY.beyond, goto: "x64" },
    { atLeast: X32_ONLY.first, goto: "ENOSYS" },
    { label: "x64" },
  ];
}

/** One test after the other; the first that does not hold lets the call through. */
function testSteps({ name, errno }: DeniedCall, when: readonly ArgumentTest[]): Step[] {
  const last = when.length - 1;
  const tests = when.flatMap((test, index) => [
    ...(index === 0 ? [] : [{ label: `${name}-${index}` }]),
    ...oneTest(test, index === last ? errno : `${name}-${index + 1}`),
  ]);
  return [{ label: name }, ...tests];
}

/** Goes to `held` if the test holds, and allows the call if not. */
function oneTest(test: ArgumentTest, held: string): Step[] {
  const load = { load: argumentOffset(test.argument) };
  if ("anyBit" in test) {
    return [load, { anyBit: test.anyBit, goto: held }, { ret: ACTION.allow }];
  }
  if ("noneOf" in test) return [load, ...jumps(test.noneOf, "allow"), { goto: held }];
  if ("pointer" in test) {
    const upper = { load: upperHalfOffset(test.argument) };
    const anyBit = { anyBit: 0xffff_ffff, goto: held };
    return [load, anyBit, upper, anyBit, { ret: ACTION.allow }];
  }
  const mask = test.mask === undefined ? [] : [{ and: test.mask }];
  return [load, ...mask, ...jumps(test.oneOf, held), { ret: ACTION.allow }];
}

function jumps(values: readonly number[], target: string): Step[] {
  return values.map((value) => ({ equals: value, goto: target }));
}
