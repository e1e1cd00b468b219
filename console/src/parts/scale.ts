/** Numbers for the axes of charts. */

/** Round values from 0 to at least `most`, about `count` of them. */
export function ticks(most: number, count = 4): number[] {
  if (most <= 0) return [0, 1];
  const rough = most / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? rough;
  const found = [0];
  while ((found.at(-1) ?? 0) < most) found.push(Number((found.length * step).toPrecision(12)));
  return found;
}

/** Which of `n` labels are shown, so that no two overlap. */
export function labelEvery(n: number, width: number, each: number): number {
  return Math.max(1, Math.ceil((n * each) / Math.max(1, width)));
}

/** A number for a person: 1,234 or 1.2 M. */
export function amount(value: number, locale: string): string {
  return new Intl.NumberFormat(locale, {
    maximumFractionDigits: value < 10 ? 2 : 0,
    ...(value >= 100_000 && { notation: 'compact' as const, maximumFractionDigits: 1 }),
  }).format(value);
}

/** Colours of series; each stands out from the ground by at least 3 : 1. */
export const seriesColours = {
  light: { blue: '#2f6fbf', green: '#1f8a5f', amber: '#a8691a', red: '#b3222e', purple: '#7a4fb0', grey: '#7b8680' },
  dark: { blue: '#5b95e0', green: '#3fa87d', amber: '#d9a24a', red: '#e06c75', purple: '#a583dd', grey: '#84928b' },
} as const;
