/** One line of MCP: what it is, and its text. */
export type Line = Request | Notification | Answer | Unreadable;

export interface Request {
  readonly kind: "request";
  /** Equal for two ids exactly when they mean the same. */
  readonly id: string;
  /** The id as it was written. */
  readonly idText: string;
  readonly method: string;
  readonly params: unknown;
  readonly text: string;
}

export interface Notification {
  readonly kind: "notification";
  readonly method: string;
  readonly params: unknown;
  readonly text: string;
}

export interface Answer {
  readonly kind: "answer";
  readonly id: string;
  readonly isError: boolean;
  readonly text: string;
}

export interface Unreadable {
  readonly kind: "unreadable";
  readonly code: number;
  readonly message: string;
  readonly text: string;
  /** What bytes that are no text would have been, where that shows. */
  readonly meant?: Request | Notification | Answer;
}
