/** Why a yes did not count that was given, or could only have been given, to another machine. */
export const MACHINE_MOVED =
  "Not approved: the machine that it is for is not there, or has become another one";
