/** What may be typed in a place: one of some words, a file or a folder. */
export type Taken = readonly string[] | "file" | "folder";
