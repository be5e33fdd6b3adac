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
import { AUDIT_ARCH, argumentOffset, type LinuxArch, SECCOMP_ABI } from "./seccomp-abi.ts";
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
  return [
    ...nativeOnly(arch),
    ...known.map(({ number, name, errno, when }) => ({
      equals: number,
      goto: when ? name : errno,
    })),
    ...socketJumps(arch),
    { ret: ACTION.allow },
    ...known.flatMap((call) => (call.when ? testSteps(call, call.when) : [])),
    ...socketSteps({ unix: mayMakeUnixSockets(question) }),
    { label: "allow" },
    { ret: ACTION.allow },
    { label: "ENOSYS" },
    { ret: ACTION.ENOSYS },
    { label: "EPERM" },
    { ret: ACTION.EPERM },
  ];
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

function testSteps(call: DeniedCall, when: ArgumentTest): Step[] {
  const start = [{ label: call.name }, { load: argumentOffset(when.argument) }];
  if ("anyBit" in when) {
    return [...start, { anyBit: when.anyBit, goto: call.errno }, { ret: ACTION.allow }];
  }
  if ("noneOf" in when) {
    return [...start, ...jumps(when.noneOf, "allow"), { ret: ACTION[call.errno] }];
  }
  const mask = when.mask === undefined ? [] : [{ and: when.mask }];
  return [...start, ...mask, ...jumps(when.oneOf, call.errno), { ret: ACTION.allow }];
}

function jumps(values: readonly number[], target: string): Step[] {
  return values.map((value) => ({ equals: value, goto: target }));
}
