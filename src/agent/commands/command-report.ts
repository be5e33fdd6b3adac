/** What the model is told of a command, in the lines that models were taught to expect. */
export interface CommandReport {
  readonly elapsedMs: number;
  /** Null while it runs, or where nobody saw the end. */
  readonly exitCode: number | null;
  /** By which it can be written to; null where it is over. */
  readonly sessionId: number | null;
  readonly denial: string | null;
  /** What changed about the place it runs in. */
  readonly notice?: string | null;
  readonly output: string;
}

/** The report as text. */
export function commandReport(report: CommandReport): string {
  const { elapsedMs, exitCode, sessionId, denial, notice = null, output } = report;
  return [
    `Wall time: ${(elapsedMs / 1000).toFixed(3)} seconds`,
    ...(exitCode === null ? [] : [`Process exited with code ${exitCode}`]),
    ...(sessionId === null ? [] : [`Process running with session ID ${sessionId}`]),
    ...(notice === null ? [] : [`Sandbox: ${notice}`]),
    ...(denial?.split("\n") ?? []).map((line) => `Sandbox: ${line}`),
    "Output:",
    output,
  ].join("\n");
}
