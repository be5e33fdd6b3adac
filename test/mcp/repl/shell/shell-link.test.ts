/** What a shell is taken to say, by the marks that its keeper sends. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { LinkListener } from "../../../../src/mcp/repl/protocol/worker-link.ts";
import { ShellLink } from "../../../../src/mcp/repl/shell/shell-link.ts";

const KEY = "0123456789abcdef0123456789abcdef0123";

function shell() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const told: string[] = [];
  const heard: string[] = [];
  const listener = {
    text: (bytes: Uint8Array) => void heard.push(String(Buffer.from(bytes))),
    waits: () => void heard.push("<waits>"),
    greets: () => {},
    ends: (message: string) => void heard.push(`<${message}>`),
    broke: (message: string) => void heard.push(`<${message}>`),
  } as unknown as LinkListener;
  const link = new ShellLink(listener, (words) => void told.push(words));
  const hear = (text: string) => {
    for (const stream of ["stdout", "stderr"] as const) link.hear(Buffer.from(text), stream);
  };
  const mark = (word: string) => hear(`\0${KEY}:${word}\n`);
  /** Answers a look as the keeper would. */
  const look = (what: string) => {
    vi.advanceTimersByTime(10);
    mark(`l:${told.at(-1)?.slice(1).trim()}:${what}`);
  };
  hear(`${KEY}\n`);
  mark("p:1:0");
  heard.splice(0);
  return { link, told, heard, mark, look };
}

describe("ShellLink", () => {
  it("ends a cell by the prompt that was set again, where its own was lost", () => {
    const { link, told, heard, mark, look } = shell();
    link.input("PS1=");
    look("command");
    look("command");
    expect(told.at(-1)).toBe("p\n");
    mark("p:3:0");
    expect(heard).toEqual(["<waits>"]);
  });

  it("ends no later cell by a prompt that was set again though it was only late", () => {
    const { link, heard, mark, look } = shell();
    link.input("first");
    look("command");
    look("command");
    mark("p:2:0");
    expect(heard.splice(0)).toEqual(["<waits>"]);
    link.input("second");
    mark("p:3:0");
    expect(heard).toEqual([]);
    mark("p:4:0");
    expect(heard).toEqual(["<waits>"]);
  });
});
