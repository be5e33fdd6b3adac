import type { HostFacts, Primitive } from "../../sandbox/index.ts";
import type { Command } from "../command.ts";

/** `writ doctor`: what this host can enforce with, and the shortest way to what is missing. */
export const doctorCommand: Command = {
  name: "doctor",
  summary: "Say what this host can enforce, what is missing and how to get it",
  usage: "doctor [--json]",
  help: `  --json                     the facts as JSON

Exit status: 0 when commands can be confined here, 1 when they cannot.
`,
  options: { json: { type: "boolean" } },
  async run({ flags }, world) {
    const { probeHost } = await import("../../sandbox/index.ts");
    const facts = probeHost();
    world.out(flags.json ? `${JSON.stringify(facts, null, 2)}\n` : render(facts));
    return isReady(facts) ? 0 : 1;
  },
};

function render(facts: HostFacts): string {
  const width = Math.max(...facts.primitives.map(({ name }) => name.length));
  const lines = facts.primitives.map((one) => lineOf(one, width));
  const verdict = isReady(facts)
    ? "Commands can be confined on this host: tier namespaces."
    : "Commands cannot be confined on this host. Those that need a sandbox will not run.";
  return `${lines.join("")}\n${verdict}\n`;
}

function lineOf({ name, present, detail, fix }: Primitive, width: number): string {
  const line = `${present ? "ok     " : "missing"}  ${name.padEnd(width)}  ${detail}\n`;
  return fix === undefined ? line : `${line}${" ".repeat(9)}run: ${fix}\n`;
}

function isReady({ primitives }: HostFacts): boolean {
  return primitives.every(({ present }) => present);
}
