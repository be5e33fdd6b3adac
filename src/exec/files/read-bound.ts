/** How much whoever reads a file can use of it, and what to say of a larger one. */
export interface ReadBound {
  readonly bytes: number;
  readonly refusal: string;
}
