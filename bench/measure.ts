/**
 * Times several things in one interleaved run.
 *
 * Whatever else the machine is doing then disturbs all of them alike, so the
 * ratios between them mean something even where the figures alone do not.
 */
export interface Subject {
  readonly name: string;
  /** Runs the thing `times` times. */
  run(times: number): void;
}

export interface Figure {
  readonly name: string;
  /** Median over the rounds, in nanoseconds for one run. */
  readonly median: number;
}

const ROUND_NS = 20_000_000;

/** Warms up, then measures every subject once per round, in turn. */
export function measure(subjects: readonly Subject[], rounds: number): Figure[] {
  const counted = subjects.map((subject) => ({ subject, times: timesPerRound(subject) }));
  const samples = subjects.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    counted.forEach(({ subject, times }, index) => {
      samples[index]?.push(timeOf(subject, times) / times);
    });
  }
  return subjects.map(({ name }, index) => ({ name, median: medianOf(samples[index] ?? []) }));
}

/** Nanoseconds as a person reads them. */
export function readable(ns: number): string {
  if (ns < 1e3) return `${ns.toFixed(0)} ns`;
  return ns < 1e6 ? `${(ns / 1e3).toFixed(1)} µs` : `${(ns / 1e6).toFixed(1)} ms`;
}

function timesPerRound(subject: Subject): number {
  let times = 1;
  for (let took = timeOf(subject, times); took < ROUND_NS; took = timeOf(subject, times)) {
    times = Math.ceil(times * Math.min(10, (1.2 * ROUND_NS) / Math.max(took, 1)));
  }
  return times;
}

function timeOf(subject: Subject, times: number): number {
  const start = process.hrtime.bigint();
  subject.run(times);
  return Number(process.hrtime.bigint() - start);
}

/** The middle one of the values. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
