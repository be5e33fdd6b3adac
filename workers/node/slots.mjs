/** Places in the memory that both threads see. */
export const SLOT = {
  done: 0,
  answers: 1,
  isTaken: 2,
  isWriting: 3,
  isReady: 4,
  at: 5,
};

/** Where the main thread is: between things, or in something the loop calls; in the worker's own code; in a cell. */
export const AT = { loop: 0, own: 1, cell: 2 };

/** Memory for them. */
export const createSlots = () =>
  new Int32Array(new SharedArrayBuffer(Object.keys(SLOT).length * Int32Array.BYTES_PER_ELEMENT));

/** The cell that is heard of before the thread that hears of cells is there. */
export const FIRST_CELL = 1;
