import type { AbsolutePath } from "../../policy/index.ts";
import { form, named, type Sbpl } from "./sbpl.ts";

/** Which rule a parameter belongs to; its name begins with it. */
export type ParameterRole =
  | "READABLE_ROOT"
  | "READABLE_HOLE"
  | "PASSAGE"
  | "WRITABLE_ROOT"
  | "WRITABLE_HOLE"
  | "UNIX_SOCKET_PATH"
  | "UNIX_SOCKET_HOLE"
  | "DENIED_MATCH"
  | "PROTECTED_ANCESTOR"
  | "MISSING_PART";

/** The paths of a policy: they travel beside its text, where no character can end a quote. */
export class Parameters {
  readonly #values: string[] = [];
  readonly #counts = new Map<ParameterRole, number>();

  /** Gives a path a name, and returns what stands for it in the text. */
  add(role: ParameterRole, path: AbsolutePath): Sbpl {
    const count = this.#counts.get(role) ?? 0;
    this.#counts.set(role, count + 1);
    this.#values.push(`-D${role}_${count}=${path}`);
    return named("param", `${role}_${count}`);
  }

  /** The flags of `sandbox-exec`, in the order in which the policy uses them. */
  get flags(): readonly string[] {
    return this.#values;
  }
}

/** The path itself and all below it. */
export function below(parameter: Sbpl): Sbpl {
  return form("subpath", parameter);
}

/** The path itself and nothing else. */
export function exactly(parameter: Sbpl): Sbpl {
  return form("literal", parameter);
}
