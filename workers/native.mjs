/** The C library of this process, loaded once the stack of native calls is as large as it may be. */
import koffi from "koffi";

/** Of native calls, and of all that R does. */
export const STACK_BYTES = 16 * 1024 * 1024;
koffi.config({ sync_stack_size: STACK_BYTES });

export const libc = koffi.load(null);
