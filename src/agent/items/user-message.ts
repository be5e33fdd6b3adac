/** What a person, or the client of one, says. */
export type UserInput =
  | { readonly type: "text"; readonly text: string }
  /** What this loop has no use for is kept as it came, and told to nobody. */
  | { readonly type: "other"; readonly value: Readonly<Record<string, unknown>> };

export interface UserMessage {
  readonly type: "userMessage";
  readonly id: string;
  readonly clientId: string | null;
  readonly content: readonly UserInput[];
}
