import type { AbsolutePath } from "../../../policy/index.ts";
import type { Mount } from "../mount.ts";

/** What every sandbox begins with: the root as the policy has it, devices and processes of its own. */
export function baseMounts(access: "read" | "write" | "deny", processes: Mount): Mount[] {
  const root = "/" as AbsolutePath;
  const base: Mount =
    access === "deny"
      ? { op: "emptyRoot" }
      : { op: access === "write" ? "bind" : "bindReadOnly", path: root };
  const sys =
    access === "write" ? [{ op: "bindReadOnly", path: "/sys" as AbsolutePath } as const] : [];
  return [base, { op: "devices" }, processes, ...sys];
}
