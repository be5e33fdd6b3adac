/**
 * Does something after the answer to the call at hand has gone out: clients begin to listen when they have it,
 * and miss what comes along with it.
 *
 * What is said within one turn of the event loop goes out at its end. This comes right behind that: nothing that
 * the client sends next is heard before.
 */
export function afterAnswer(act: () => void): void {
  // The answer follows by promises alone, of which none is left when a tick comes that one of them asked for.
  queueMicrotask(() => process.nextTick(() => setImmediate(act)));
}
