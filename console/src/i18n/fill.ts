export type Values = Record<string, string | number>;

/** A text with its places filled: `{name}`, and `{n|one|many}` by the number n. */
export function fill(text: string, values: Values = {}): string {
  return text.replace(
    /\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g,
    (whole, name: string, one?: string, many?: string) => {
      const value = values[name];
      if (value === undefined) return whole;
      if (one === undefined || many === undefined) return String(value);
      return Number(value) === 1 ? one : many;
    },
  );
}
