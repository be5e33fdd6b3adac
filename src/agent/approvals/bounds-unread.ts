/** Why a yes to leave the sandbox did not count where nobody can say what the host lets be had by now. */
export const BOUNDS_UNREAD =
  "Not approved: the ceilings and settings that a yes is held against cannot be read";
