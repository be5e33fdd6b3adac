import process from "node:process";

/** Runs something that warns of being experimental, without the warning. */
export function quietly(run) {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return run();
  } finally {
    process.emitWarning = emitWarning;
  }
}
