/** Who asks the service, and who pays. */
export interface VercelAccount {
  readonly token: string;
  readonly teamId: string;
  readonly projectId: string;
}
