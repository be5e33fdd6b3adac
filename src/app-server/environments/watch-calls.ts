/** Who hears what becomes of calls. */
export interface CallListener {
  answered(): void;
  failed(error: unknown): void;
}

/** The same object; the listener hears of every call of it, as the caller does. */
export function watchCalls<T extends object>(target: T, listener: CallListener): T {
  return new Proxy(target, {
    get(on, name) {
      const value: unknown = Reflect.get(on, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        const answer: unknown = Reflect.apply(value, on, args);
        if (answer instanceof Promise) watchCall(answer, listener);
        return answer;
      };
    },
  });
}

/** One call; it is handed on as it is. */
export function watchCall<T>(answer: Promise<T>, listener: CallListener): Promise<T> {
  answer.then(
    () => listener.answered(),
    (error: unknown) => listener.failed(error),
  );
  return answer;
}
