/** Finds overlays in the list of mounts of a process, or says which is not there. Pure. */
import { parseMountLine } from "../linux/mount-table/parse-mount-line.ts";
import { readMountTable, topMounts } from "../linux/mount-table/read-mount-table.ts";
import { SandboxError } from "../sandbox-error.ts";
import type { HeldOverlay, Overlay } from "./overlay.ts";

/** Each as it is mounted. Throws {@link SandboxError} unless all are seen, and write where they were told to. */
export function findOverlays(overlays: readonly Overlay[], mountTable: string): HeldOverlay[] {
  const top = topMounts(readMountTable(mountTable));
  const lines = new Map(
    mountTable.split("\n").flatMap((line) => {
      const mount = parseMountLine(line);
      return mount === undefined ? [] : [[mount.id, mount] as const];
    }),
  );
  return overlays.map(({ path, upper, work }) => {
    const line = lines.get(top.get(path)?.id ?? "");
    const options = line?.fileSystemOptions ?? [];
    const wanted = [`upperdir=${upper}`, `workdir=${work}`, "userxattr"];
    const isThere =
      line?.type === "overlay" && line.root === "/" && wanted.every((one) => options.includes(one));
    if (line === undefined || !isThere || line.options.includes("ro")) throw notThere(path);
    return { path, device: line.device };
  });
}

function notThere(path: string): SandboxError {
  return new SandboxError(
    "backendFailed",
    `Cannot keep writes apart from "${path}": the overlay on it is not what it was to be`,
  );
}
