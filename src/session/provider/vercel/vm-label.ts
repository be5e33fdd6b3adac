/** How a VM says whose it is and what it was made under, to whoever finds it later. */
import { Refusal } from "../../refusal.ts";

export interface VmLabel {
  readonly thread: string;
  readonly boundDigest: string;
}

/** One run of one machine: a machine that is started again is another VM. */
interface VmName {
  readonly name: string;
  readonly sessionId: string;
}

const THREAD = "writ-thread";
const POLICY = "writ-policy";
const DIGEST = /^[0-9a-f]{64}$/;
const NAME = /^(?<name>writ-[0-9a-f-]+)@(?<sessionId>[\w-]+)$/;
/** The service does not say how long a tag may be. */
const MOST_CHARACTERS = 128;

/** As tags of the VM. Throws on a thread whose name does not fit. */
export function writeLabel({ thread, boundDigest }: VmLabel): Record<string, string> {
  const text = Buffer.from(thread).toString("base64url");
  if (text !== "" && text.length <= MOST_CHARACTERS) {
    return { [THREAD]: text, [POLICY]: boundDigest };
  }
  throw new Refusal(
    "invalidInput",
    `Cannot make a VM: the name of its thread has ${thread.length} characters, expected 1 to 96 bytes`,
  );
}

/** Nothing where it was not written by this provider. */
export function readLabel(tags: Readonly<Record<string, string>> = {}): VmLabel | undefined {
  const { [THREAD]: text = "", [POLICY]: boundDigest = "" } = tags;
  const thread = Buffer.from(text, "base64url").toString();
  if (thread === "" || !DIGEST.test(boundDigest)) return undefined;
  return { thread, boundDigest };
}

export function writeVmId({ name, sessionId }: VmName): string {
  return `${name}@${sessionId}`;
}

/** Nothing where it is no id of this provider. */
export function readVmId(id: string): VmName | undefined {
  const { name, sessionId } = NAME.exec(id)?.groups ?? {};
  return name === undefined || sessionId === undefined ? undefined : { name, sessionId };
}
