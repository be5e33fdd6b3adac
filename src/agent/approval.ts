/**
 * Asking whoever sits at the thread.
 *
 * A question is bound to exactly what would run: its subject names argv, folder
 * and sandbox, so that an answer to one is no answer to another.
 */

/** When a thread asks, in the words of the protocol. */
export type ApprovalPolicy =
  /** Before every command that is not known to only read. */
  | "untrusted"
  /** When the model asks to leave the sandbox. */
  | "on-request"
  /** Never: what would have to be asked is refused. */
  | "never"
  | {
      readonly granular: {
        readonly sandbox_approval: boolean;
        readonly rules: boolean;
        readonly mcp_elicitations: boolean;
        readonly skill_approval: boolean;
        readonly request_permissions: boolean;
      };
    };

export interface ApprovalQuestion {
  readonly kind: "command" | "writeStdin" | "fileChange";
  /** The item that is asked about: of a write, the one that started the process. */
  readonly itemId: string;
  /** Of a write, the call that asks; nothing otherwise. */
  readonly approvalId: string | null;
  readonly argv: readonly string[];
  /** As a person would type it. */
  readonly command: string;
  readonly cwd: string;
  readonly reason: string | null;
  /** Whether it would be done without the sandbox. */
  readonly escalates: boolean;
  /** A digest of argv, folder and sandbox. */
  readonly subject: string;
}

export type ApprovalAnswer = "accept" | "acceptForSession" | "decline" | "cancel";
