/** What is said where nothing confines what was to be started. */
export const NO_PROGRAM = "there is no such program";
