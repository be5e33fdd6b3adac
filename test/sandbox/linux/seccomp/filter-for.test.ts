/** What the kernel makes of these programs is in `test/os/seccomp`. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assemble } from "../../../../src/sandbox/linux/seccomp/assemble.ts";
import { DENIED_CALLS } from "../../../../src/sandbox/linux/seccomp/denied-calls.ts";
import { filterFor, filterWith } from "../../../../src/sandbox/linux/seccomp/filter-for.ts";
import { AUDIT_ARCH } from "../../../../src/sandbox/linux/seccomp/seccomp-abi.ts";
import { campaign } from "../../../support/campaign.ts";
import { anyCall, anyQuestion } from "./arbitrary-calls.ts";
import { disassemble } from "./disassemble.ts";
import { runFilter } from "./run-filter.ts";
import { deniedNumbers } from "./syscall-numbers.ts";

const rows = (...names: string[]) => DENIED_CALLS.filter(({ name }) => names.includes(name));

describe("filterWith", () => {
  it("is this program on x64 without AF_UNIX sockets", () => {
    const calls = rows("mount", "mknod", "clone3");
    const question = { arch: "x64", network: "off", unixSockets: "none" } as const;
    expect(disassemble(assemble(filterWith(calls, question)))).toBe(`\
0: load [4]
1: if == 0xc000003e goto 3
2: return 0x80000000 (kill)
3: load [0]
4: if >= 0x40000000 goto 52
5: if >= 0x224 goto 7
6: if >= 0x200 goto 52
7: if == 0x1b3 goto 52
8: if == 0xa5 goto 53
9: if == 0x85 goto 13
10: if == 0x29 goto 22
11: if == 0x35 goto 43
12: return 0x7fff0000 (allow)
13: load [24]
14: and 0xf800
15: if == 0x6000 goto 53
16: if == 0x6800 goto 53
17: if == 0x2000 goto 53
18: if == 0x2800 goto 53
19: if == 0x8800 goto 53
20: if == 0x800 goto 53
21: return 0x7fff0000 (allow)
22: load [16]
23: if == 0x2 goto 27
24: if == 0xa goto 27
25: if == 0x10 goto 40
26: return 0x50001 (EPERM)
27: load [24]
28: and 0xf
29: if == 0x1 goto 32
30: if == 0x2 goto 32
31: return 0x50001 (EPERM)
32: load [32]
33: if == 0x0 goto 51
34: if == 0x6 goto 51
35: if == 0x11 goto 51
36: if == 0x1 goto 51
37: if == 0x3a goto 51
38: if == 0x106 goto 51
39: return 0x50001 (EPERM)
40: load [32]
41: if == 0x0 goto 51
42: return 0x50001 (EPERM)
43: load [16]
44: if == 0x1 goto 46
45: return 0x50001 (EPERM)
46: load [24]
47: and 0xf
48: if == 0x1 goto 51
49: if == 0x5 goto 51
50: return 0x50001 (EPERM)
51: return 0x7fff0000 (allow)
52: return 0x50026 (ENOSYS)
53: return 0x50001 (EPERM)
`);
  });

  it("is this program on arm64 with AF_UNIX sockets", () => {
    const calls = rows("clone", "clone3", "personality", "mknod");
    const question = { arch: "arm64", network: "proxied", unixSockets: "private" } as const;
    expect(disassemble(assemble(filterWith(calls, question)))).toBe(`\
0: load [4]
1: if == 0xc00000b7 goto 3
2: return 0x80000000 (kill)
3: load [0]
4: if == 0xdc goto 10
5: if == 0x1b3 goto 44
6: if == 0x5c goto 13
7: if == 0xc6 goto 18
8: if == 0xc7 goto 40
9: return 0x7fff0000 (allow)
10: load [16]
11: if & 0x7e020000 goto 45
12: return 0x7fff0000 (allow)
13: load [16]
14: if == 0x0 goto 43
15: if == 0x40000 goto 43
16: if == 0xffffffff goto 43
17: goto 45
18: load [16]
19: if == 0x1 goto 43
20: if == 0x2 goto 24
21: if == 0xa goto 24
22: if == 0x10 goto 37
23: return 0x50001 (EPERM)
24: load [24]
25: and 0xf
26: if == 0x1 goto 29
27: if == 0x2 goto 29
28: return 0x50001 (EPERM)
29: load [32]
30: if == 0x0 goto 43
31: if == 0x6 goto 43
32: if == 0x11 goto 43
33: if == 0x1 goto 43
34: if == 0x3a goto 43
35: if == 0x106 goto 43
36: return 0x50001 (EPERM)
37: load [32]
38: if == 0x0 goto 43
39: return 0x50001 (EPERM)
40: load [16]
41: if == 0x1 goto 43
42: return 0x50001 (EPERM)
43: return 0x7fff0000 (allow)
44: return 0x50026 (ENOSYS)
45: return 0x50001 (EPERM)
`);
  });

  it("is this program where a number and a pointer decide together", () => {
    const question = { arch: "x64", network: "off", unixSockets: "none" } as const;
    const program = disassemble(assemble(filterWith(rows("prlimit64"), question)));
    expect(program).toContain(`\
7: if == 0x12e goto 11
8: if == 0x29 goto 19
9: if == 0x35 goto 40
10: return 0x7fff0000 (allow)
11: load [24]
12: if == 0x4 goto 14
13: return 0x7fff0000 (allow)
14: load [32]
15: if & 0xffffffff goto 50
16: load [36]
17: if & 0xffffffff goto 50
18: return 0x7fff0000 (allow)
`);
    expect(program).toMatch(/\n50: return 0x50000 \(SUCCESS\)\n$/);
  });

  it("decides the same whatever the order of the table", () => {
    const shuffled = fc.shuffledSubarray([...DENIED_CALLS], { minLength: DENIED_CALLS.length });
    const check = fc.property(shuffled, anyQuestion, anyCall, (calls, question, call) => {
      const answer = runFilter(assemble(filterWith(calls, question)), call);
      expect(answer).toBe(runFilter(assemble(filterFor(question)), call));
    });
    fc.assert(check, campaign(3000));
  });
});

describe("DENIED_CALLS", () => {
  it("holds the numbers of the kernel's headers", () => {
    const ours = DENIED_CALLS.map(({ name, numbers }) => ({ name, ...numbers }));
    const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);
    expect(ours.sort(byName)).toEqual(deniedNumbers.sort(byName));
  });

  it.each(["x64", "arm64"] as const)("names no number of %s twice", (arch) => {
    const numbers = DENIED_CALLS.flatMap((call) => call.numbers[arch] ?? []);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  it("gives a reason for every call", () => {
    expect(DENIED_CALLS.filter(({ why }) => why.length < 10)).toEqual([]);
  });
});

describe("filterFor", () => {
  it.each(["x64", "arm64"] as const)("stays far below the kernel's limit on %s", (arch) => {
    const question = { arch, network: "off", unixSockets: "none" } as const;
    expect(assemble(filterFor(question)).length / 8).toBeLessThan(400);
  });

  it("kills every other architecture, whatever it calls", () => {
    const other = fc.oneof(
      fc.nat(0xffff_ffff),
      // AUDIT_ARCH_I386 and AUDIT_ARCH_ARM: what 32-bit programs would run as.
      fc.constantFrom(0x4000_0003, 0x4000_0028, 0),
    );
    const check = fc.property(anyQuestion, anyCall, other, (question, call, arch) => {
      fc.pre(arch !== AUDIT_ARCH[question.arch]);
      expect(runFilter(assemble(filterFor(question)), { ...call, arch })).toBe(0x8000_0000);
    });
    fc.assert(check, campaign(3000));
  });
});
