/** The languages that a session can speak. */
export const LANGUAGES = ["python", "node", "bash", "r"] as const;

export type Language = (typeof LANGUAGES)[number];
