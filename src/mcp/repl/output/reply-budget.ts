/** How much of a request a reply shows before the rest goes to a file. */

export interface ReplyBudget {
  /** Characters of a reply that had to be cut. */
  readonly inlineChars: number;
  /** Pictures, every state counted, from which on only the first and the last are shown. */
  readonly maxImages: number;
  /** Bytes of a picture that is shown in a reply. */
  readonly imageBytes: number;
  /** Whether a bundle is also named as a resource; clients before 2025-06-18 know none. */
  readonly hasLinks: boolean;
}

export const DEFAULT_BUDGET: ReplyBudget = {
  inlineChars: 3500,
  maxImages: 5,
  imageBytes: 5 << 20,
  hasLinks: false,
};

/** What counts against a budget. */
export interface OutputSize {
  /** Echoes included. */
  readonly chars: number;
  readonly images: number;
  readonly largestImage: number;
}

/** Whether so much is shown whole. A little over the budget is: cutting would save nothing. */
export function fitsBudget(size: OutputSize, budget: ReplyBudget): boolean {
  return (
    size.chars <= Math.floor((budget.inlineChars * 5) / 4) &&
    size.images < budget.maxImages &&
    size.largestImage <= budget.imageBytes
  );
}
