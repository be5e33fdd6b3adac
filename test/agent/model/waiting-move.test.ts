import { expect, it } from "vitest";
import { waitingMove } from "../../../src/agent/model/waiting-move.ts";
import type { TurnItem } from "../../../src/agent/turn-item.ts";

const left = (input: object) =>
  ({
    ...{ type: "commandExecution", id: "c", status: "inProgress", processId: "4711" },
    call: { name: "exec_command", input: JSON.stringify(input), output: null },
  }) as unknown as TurnItem;

it.each<[string, object, boolean]>([
  ["that goes on", { cmd: "make" }, true],
  ["with a terminal", { cmd: "python3", tty: true }, false],
  // Each look at it would be asked about.
  ["outside the sandbox", { cmd: "make", sandbox_permissions: "require_escalated" }, false],
])("a command %s is waited for, or left to whoever is asked about it", (_, input, isWaited) => {
  expect(waitingMove([left(input)]) !== undefined).toBe(isWaited);
});
