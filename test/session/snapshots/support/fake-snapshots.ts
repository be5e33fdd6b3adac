/** A provider's way with snapshots that does what a test says, and remembers what it was asked. */
import type {
  BuildRequest,
  BuiltSnapshot,
  SnapshotSupport,
} from "../../../../src/session/provider/snapshot-support.ts";

export class FakeSnapshots implements SnapshotSupport {
  readonly built: string[] = [];
  readonly removed: string[] = [];
  refusal: Error | undefined;
  machine = "machine";
  /** What the next builds throw, in turn. */
  readonly faults: unknown[] = [];
  /** Waited for by `build`. */
  gate: Promise<void> = Promise.resolve();

  runtime(): string {
    return this.machine;
  }

  refuse(): void {
    if (this.refusal !== undefined) throw this.refusal;
  }

  async build({ onStep }: BuildRequest): Promise<BuiltSnapshot> {
    const id = `snap_${this.built.length + 1}`;
    this.built.push(id);
    onStep({ number: 1, of: 1, name: "npm install" });
    await this.gate;
    const fault = this.faults.shift();
    if (fault !== undefined) throw fault;
    return { id, bytes: null };
  }

  async remove(id: string): Promise<void> {
    this.removed.push(id);
  }
}
