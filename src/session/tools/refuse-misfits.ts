import { Refusal } from "../refusal.ts";

/** What a call has beside its tool and its input, as a program without a compiler may give it. */
interface Beside {
  readonly signal?: unknown;
  readonly env?: unknown;
  readonly ids?: unknown;
}

/** Types say it; whoever has none would hear of a sandbox that does not answer. */
export function refuseMisfits(name: string, { signal, env, ids }: Beside): void {
  const refuse = (what: string) => {
    throw new Refusal("invalidInput", `Cannot run "${name}": ${what}`);
  };
  if (signal === undefined) refuse('"signal" is missing, expected an AbortSignal');
  if (!isSignal(signal)) refuse('"signal" is something else, expected an AbortSignal');
  for (const [member, value] of Object.entries({ env, ids })) {
    if (value === undefined || isTexts(value)) continue;
    refuse(`"${member}" is something else, expected an object whose values are all text`);
  }
}

function isTexts(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).every((one) => typeof one === "string");
}

/** Not by its class: there may be another one of that name. */
function isSignal(value: unknown): boolean {
  const { aborted, addEventListener } = Object(value) as Partial<AbortSignal>;
  return typeof aborted === "boolean" && typeof addEventListener === "function";
}
