import { type AbsolutePath, isWithin } from "../../policy/index.ts";
import type { ExpectedMount } from "../launch-plan.ts";
import type { HeldOverlay } from "../overlay/overlay.ts";
import type { Mount } from "./mount.ts";
import { sightsOf } from "./sight.ts";

/** What the child's own list of mounts must say; where one landed elsewhere, nothing may run. */
export function expectedMounts(
  mounts: readonly Mount[],
  overlays: readonly HeldOverlay[],
): ExpectedMount[] {
  const shown = (path: AbsolutePath, readOnly: boolean): ExpectedMount => {
    const overlay = overlays.find((one) => isWithin(path, one.path));
    return { path, readOnly, ...(overlay && { device: overlay.device }) };
  };
  const planned = mounts.flatMap((mount): ExpectedMount[] => {
    switch (mount.op) {
      case "bind":
      case "pin":
        return [shown(mount.path, false)];
      case "bindReadOnly":
        return [shown(mount.path, true)];
      case "hideFile":
      case "hideFolder":
        return [{ path: mount.path, readOnly: true }];
      case "emptyRoot":
        return [{ path: "/" as AbsolutePath, readOnly: true }];
      case "processes":
        return PROCESS_MOUNTS;
      default:
        return [];
    }
  });
  return overlays.length === 0 ? planned : [...planned, ...carried(mounts, overlays)];
}

const PROCESS_MOUNTS: ExpectedMount[] = ["/proc/sys", "/proc/1"].map((path) => ({
  path: path as AbsolutePath,
  readOnly: true,
}));

/** An overlay in a folder that is shown comes along with it. */
function carried(mounts: readonly Mount[], overlays: readonly HeldOverlay[]): ExpectedMount[] {
  const sightOf = sightsOf(mounts);
  return overlays.flatMap(({ path, device }) => {
    const sight = sightOf(path);
    return sight.kind === "open" ? [{ path, readOnly: sight.access === "read", device }] : [];
  });
}
