/** What a person sees of a value. */
import { Buffer } from "node:buffer";
import { inspect, types } from "node:util";

const RUNNER_FRAMES = /\n +at Session\.post \(node:inspector[^\n]*(?:\n +at [^\n]*)*/g;

/** An error nobody caught, without the frames of the worker. */
export function describe(error) {
  return `Uncaught ${inspectSafely(error)}\n`.replace(RUNNER_FRAMES, keepBrace);
}

/** An error that throws when it is shown must not end the session that shows it. */
function inspectSafely(error) {
  for (const customInspect of [true, false]) {
    try {
      return inspect(error, { colors: false, customInspect });
    } catch {
      // It is shown in a plainer way.
    }
  }
  return "[an error that cannot be shown]";
}

/** The members of an error are listed after its last frame. */
function keepBrace(frames) {
  return frames.endsWith(" {") ? " {" : "";
}

/** Where a cell could not be read. */
export function describeSyntaxError(message, source, { lineNumber, columnNumber }) {
  const line = source.split("\n")[lineNumber] ?? "";
  return `<repl>:${lineNumber + 1}\n${line}\n${" ".repeat(columnNumber)}^\nUncaught ${message}\n`;
}

export function show(value) {
  return `${inspect(value, { colors: false, showProxy: true })}\n`;
}

/** More than that does not fit into a message, with which the session would end. */
const MOST_BYTES = 20 << 20;

/** The picture of a value that can draw itself, unless it is too large to be sent. */
export function pictureOf(value) {
  if (typeof value !== "object" || value === null || types.isProxy(value)) return undefined;
  const draw = value._repr_png_ ?? value.toPNG;
  const png = typeof draw === "function" ? draw.call(value) : undefined;
  if (!(png instanceof Uint8Array) || png.length > MOST_BYTES) return undefined;
  return Buffer.from(png).toString("base64");
}
