/**
 * The shelf of a VM: filled by whoever made the VM, and within reach of its commands.
 *
 * Nothing of writ runs in the VM, so nobody could keep them from it. It is for
 * commands to run what lies there; nothing is believed because it lies there.
 */
import type { ShelfChange } from "../../../../exec/index.ts";
import type { FileRequest } from "../../provided-sandbox.ts";
import type { ProvidedShelf } from "../../provided-shelf.ts";
import type { VmFiles } from "./vm-files.ts";

/** In the workspace, which is the VM's own. */
const FOLDER = ".writ/shelf";
const MODES = { plain: 0o644, executable: 0o755 } as const;

/** A shelf in the folder of a VM. */
export function createVmShelf(files: VmFiles, workspace: string): ProvidedShelf {
  const path = `${workspace}/${FOLDER}`;
  return {
    path,
    isGuarded: false,
    async stock({ write, remove, isEmptied }: ShelfChange, under: FileRequest) {
      const gone = isEmptied ? [path] : remove.map((one) => `${path}/${one}`);
      if (gone.length > 0) await files.sweep(gone, under);
      const placed = write.map(({ path: name, content, isExecutable }) => ({
        path: `${path}/${name}`,
        content,
        mode: isExecutable ? MODES.executable : MODES.plain,
      }));
      if (placed.length > 0) await files.writeFiles(placed, under);
    },
  };
}
