/** The same object; `failed` hears of every call of it that fails, as does the caller. */
export function watchCalls<T extends object>(target: T, failed: (error: unknown) => void): T {
  return new Proxy(target, {
    get(on, name) {
      const value: unknown = Reflect.get(on, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        const answer: unknown = Reflect.apply(value, on, args);
        if (answer instanceof Promise) answer.catch(failed);
        return answer;
      };
    },
  });
}
