/** Places in the memory that both threads see. */
export const SLOT = {
  done: 0,
  answers: 1,
  heard: 2,
  isTaken: 3,
  isWriting: 4,
  isReady: 5,
  isOwn: 6,
};

/** Memory for them. */
export const createSlots = () =>
  new Int32Array(new SharedArrayBuffer(Object.keys(SLOT).length * Int32Array.BYTES_PER_ELEMENT));

/** The cell that is heard of before the thread that hears of cells is there. */
export const FIRST_CELL = 1;
