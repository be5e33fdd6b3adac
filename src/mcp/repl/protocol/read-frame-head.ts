/**
 * Reads the line that stands before a text which is sent as bytes.
 *
 * Only our worker for Python sends such texts, where they are long: base64 is most of what they cost
 * it. Version 6 of the protocol has none. A line that is not exactly so is `undefined`, and for
 * `WorkerMessage` to judge.
 */
export interface FrameHead {
  readonly stream: "stdout" | "stderr";
  /** How many bytes follow the line. */
  readonly length: number;
}

const HEAD = /^\{"type":"output_bytes","stream":"(stdout|stderr)","length":([1-9]\d{0,6})\}$/;

export function readFrameHead(line: string): FrameHead | undefined {
  const [, stream, length] = HEAD.exec(line) ?? [];
  return stream === "stdout" || stream === "stderr"
    ? { stream, length: Number(length) }
    : undefined;
}
