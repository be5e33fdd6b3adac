/** A timer that is set to more rings at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
