/** What a reader is willing to hold. Every caller states it; no reader has a default. */
export interface JsonLimits {
  /** Longest text, in UTF-16 units; never more than its bytes in UTF-8. */
  readonly maxLength: number;
  /** Deepest nesting of objects and arrays; a scalar alone has depth 0. */
  readonly maxDepth: number;
  /** Most values in one text, containers included and member names not. */
  readonly maxValues: number;
}

/** The limits of one RPC message. */
export const JSON_LIMITS: JsonLimits = {
  maxLength: 64 * 1024 * 1024,
  maxDepth: 128,
  maxValues: 262_144,
};
