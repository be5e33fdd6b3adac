/** The server's end of one worker: what it hears of it, and the words it has for it. */
export interface Link {
  /** Whether both streams of its process are its own; else the second is what nobody claims. */
  readonly hearsErrors: boolean;
  /** What is written to it to hand it input. It is busy from then on, until it says otherwise. */
  input(text: string): string;
  /** Takes what its process wrote. */
  hear(chunk: Uint8Array, stream: "stdout" | "stderr"): void;
  /** It was told to stop what it does. */
  interrupted(): void;
  /** Nothing more comes of it. */
  close(): void;
}

/** How a worker is spoken with: version 6 of mcp-repl's protocol, the same with long text as bytes, or a shell and its keeper. */
export type Speech = "messages" | "frames" | "shell";
