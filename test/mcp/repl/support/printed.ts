/** Output events as a worker gives them, and replies as a model reads them. */
import type { OutputEvent, OutputStream } from "../../../../src/mcp/repl/output/output-event.ts";
import type { ReplyContent } from "../../../../src/mcp/repl/output/reply-content.ts";

export function out(text: string | Uint8Array, stream: OutputStream = "stdout"): OutputEvent {
  return { kind: "text", stream, bytes: typeof text === "string" ? Buffer.from(text) : text };
}

export function err(text: string): OutputEvent {
  return out(text, "stderr");
}

/** A picture whose bytes say which it is. */
export function image(name: string, source?: string, isUpdate = false): OutputEvent {
  return { kind: "image", mimeType: "image/png", data: Buffer.from(name), isUpdate, source };
}

/** Text as it is, a picture as its name in brackets, a link as its address. */
export function shown(content: readonly ReplyContent[]): string[] {
  return content.map((item) => {
    if (item.type === "text") return item.text;
    if (item.type === "resource_link") return `<${item.uri}>`;
    return `[${Buffer.from(item.data, "base64").toString()}]`;
  });
}

/** The same in one string. */
export function read(content: readonly ReplyContent[]): string {
  return shown(content).join("");
}

/** `count` numbered lines of `width` characters, the feed included. */
export function lines(count: number, width: number): string {
  return Array.from({ length: count }, (_, index) => {
    return `${`L${String(index + 1).padStart(4, "0")}`.padEnd(width - 1, ".")}\n`;
  }).join("");
}
