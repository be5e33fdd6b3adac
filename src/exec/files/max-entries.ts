/** As many as one list of a folder holds. */
export const MAX_ENTRIES = 50_000;
