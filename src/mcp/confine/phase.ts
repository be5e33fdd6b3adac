/** Where the process of a confined server is: none lives, or one is on its way in, serves, or is on its way out. */
export type Phase =
  | { readonly kind: "none" }
  | {
      readonly kind: "starting" | "greeting" | "serving" | "ending";
      readonly generation: number;
      readonly key: string;
      /** On record of the process; null before that is known, or where nothing is. */
      readonly receiptId: string | null;
    };
