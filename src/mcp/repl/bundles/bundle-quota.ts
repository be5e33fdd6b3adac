/** How many bytes a bundle may still write. */
export interface BundleQuota {
  /** Takes up to `bytes`; gives how many were granted. */
  take(bytes: number): number;
  /** Gives back what was granted and not written. */
  giveBack(bytes: number): void;
}
