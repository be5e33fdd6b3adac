/** What is said to a running command: input, terminals, interrupts. */
import { expect, it } from "vitest";
import type { Executor, StartRequest } from "../../../src/exec/index.ts";
import type { ContractOptions, MakeExecutor } from "./executor-contract.ts";
import { collected } from "./support/collected.ts";
import {
  type ContractPlace,
  contractPlace,
  intentOf,
  requestOf,
  WAIVED,
} from "./support/contract-place.ts";

const bytes = (text: string) => Buffer.from(text);
const TERMINAL = { columns: 80, rows: 24 };

export function inputBehaviours(
  make: MakeExecutor,
  { sizes, endsInput, trapsInSandbox, interruptsAlone }: ContractOptions,
): void {
  it("gives a command its input in the order it was written", async () => {
    const executor = await make();
    const request = requestOf("head -n 200", contractPlace(), { pipeStdin: true });
    const process = await executor.start(request);
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index}\n`);
    const written = Promise.all(lines.map((line) => process.write(bytes(line))));
    expect((await collected(process)).stdout).toBe(lines.join(""));
    expect(new Set(await written)).toEqual(new Set([true]));
  });

  it("gives a command 3 MB of input whole", async () => {
    const executor = await make();
    const request = requestOf("head -c 3000000 | cksum", contractPlace(), { pipeStdin: true });
    const process = await executor.start(request);
    const written = (async () => {
      for (let i = 0; i < 30; i += 1) await process.write(Buffer.alloc(100_000, 65 + i));
    })();
    const other = await executor.start(
      requestOf(
        "for i in $(seq 0 29); do head -c 100000 /dev/zero | tr '\\0' \"\\\\$(printf %o $((65+i)))\"; done | cksum",
        contractPlace(),
      ),
    );
    const expected = await collected(other);
    expect((await collected(process)).stdout).toBe(expected.stdout);
    await written;
  });

  it("says that a command without input has none", async () => {
    const executor = await make();
    const process = await executor.start(requestOf("cat; sleep 0.1", contractPlace()));
    expect(await process.write(bytes("x"))).toBe(false);
    expect((await collected(process)).stdout).toBe("");
  });

  it("gives a command a terminal that echoes", async () => {
    const executor = await make();
    const script = 'stty size; read line; echo "got $line"';
    const request = requestOf(script, contractPlace(), { terminal: TERMINAL });
    const process = await executor.start(request);
    let isWritten = false;
    const { pty, stdout, exit } = await collected(process, (event) => {
      if (event.kind === "output" && !isWritten) void process.write(bytes("hello\n"));
      isWritten = true;
    });
    expect(stdout).toBe("");
    expect(pty).toBe("24 80\r\nhello\r\ngot hello\r\n");
    expect(exit.exitCode).toBe(0);
  });

  it(sizes ? "gives a terminal its size and another" : "refuses to resize", async () => {
    const executor = await make();
    const script = "stty size; read line; stty size";
    const terminal = sizes ? { columns: 100, rows: 30 } : TERMINAL;
    const process = await executor.start(requestOf(script, contractPlace(), { terminal }));
    const resized = Promise.withResolvers<void>();
    let isAsked = false;
    const output = collected(process, ({ kind }) => {
      if (kind !== "output" || isAsked) return;
      isAsked = true;
      resized.resolve(process.resize({ columns: 120, rows: 40 }));
    });
    if (sizes) await resized.promise;
    else await expect(resized.promise).rejects.toMatchObject({ code: "invalidRequest" });
    await process.write(bytes("\n"));
    const { pty } = await output;
    expect(pty).toBe(sizes ? "30 100\r\n\r\n40 120\r\n" : "24 80\r\n\r\n24 80\r\n");
  });

  it.each([
    ["a line", "line\n", "line\r\nline\r\n"],
    ["the middle of a line", "middle", "middlemiddle"],
  ])(
    endsInput ? "ends the input of a terminal behind %s" : "refuses to end it behind %s",
    async (_, typed, shown) => {
      const executor = await make();
      const request = requestOf("", contractPlace(), { argv: ["/bin/cat"], terminal: TERMINAL });
      const process = await executor.start(request);
      await process.write(bytes(typed));
      const ended = process.closeInput();
      if (endsInput) await ended;
      else {
        await expect(ended).rejects.toMatchObject({ code: "invalidRequest" });
        await process.terminate();
      }
      const { pty } = await collected(process);
      if (endsInput) expect(pty).toBe(shown);
    },
  );

  it("interrupts the command itself, whose trap runs", async () => {
    const executor = await make();
    const request = requestOf(TRAP, contractPlace());
    expect(await interrupted(await executor.start(request))).toMatchObject({
      stdout: "ready\ntrapped\n",
      exit: { exitCode: 7 },
    });
  });

  it(
    trapsInSandbox ? "interrupts a command in a sandbox as well" : "ends a sandbox by an interrupt",
    async () => {
      const executor = await make();
      const place = contractPlace();
      const sandbox = intentOf("workspace-write", place);
      const { stdout, exit } = await interrupted(
        await executor.start(requestOf(TRAP, place, { sandbox })),
      );
      expect(stdout).toBe(trapsInSandbox ? "ready\ntrapped\n" : "ready\n");
      expect(exit.exitCode).toBe(trapsInSandbox ? 7 : 130);
    },
  );

  it.each(WAYS)("interrupts the program that a command waits for, %s", async (_, intent) => {
    const { process, output } = await waiting(await make(), intent);
    await process.interrupt("group");
    await process.write(bytes("\n"));
    const isTold = process.sandboxType === "none" || trapsInSandbox;
    const { stdout } = await output;
    // Where only the sandbox is told, what is in it may come to its end or not.
    if (isTold) expect(stdout).toBe("ready\nheard\nread\ntrapped\n");
    else expect(stdout).not.toMatch(/heard|trapped/);
  });

  it.each(WAYS)(
    interruptsAlone
      ? "interrupts a command alone where it is asked to, %s"
      : "refuses to interrupt a command alone, %s",
    async (_, intent) => {
      const { process, output } = await waiting(await make(), intent);
      const asked = process.interrupt("command");
      if (interruptsAlone) await asked;
      else await expect(asked).rejects.toMatchObject({ code: "invalidRequest" });
      await process.write(bytes("\n"));
      expect((await output).stdout).toBe(`ready\nread\n${interruptsAlone ? "trapped\n" : ""}`);
    },
  );
}

type Intent = (place: ContractPlace) => StartRequest["sandbox"];

const WAYS: [string, Intent][] = [
  ["without a sandbox", () => WAIVED],
  ["in a sandbox", (place) => intentOf("workspace-write", place)],
];

/** A shell that waits for a program; each tells of an interrupt, the shell once the program is over. */
async function waiting(executor: Executor, intent: Intent) {
  const place = contractPlace();
  const program = 'trap "echo heard" INT; echo ready; read line; echo read';
  const script = `trap 'echo trapped' INT; sh -c '${program}'`;
  const request = requestOf(script, place, { sandbox: intent(place), pipeStdin: true });
  const process = await executor.start(request);
  const ready = Promise.withResolvers<void>();
  const output = collected(process, () => ready.resolve());
  await ready.promise;
  return { process, output };
}

const TRAP = "trap 'echo trapped; exit 7' INT; echo ready; while :; do sleep 0.05; done";

async function interrupted(process: Parameters<typeof collected>[0]) {
  let isSent = false;
  return collected(process, ({ kind }) => {
    if (kind !== "output" || isSent) return;
    isSent = true;
    void process.interrupt("group");
  });
}
