/** Colours. Every pair of text and ground here has a contrast of at least 4.5 : 1. */

export type Theme = 'light' | 'dark';
export type Tone = 'neutral' | 'info' | 'good' | 'wait' | 'bad';

export interface Palette {
  ground: string;
  surface: string;
  raised: string;
  line: string;
  text: string;
  soft: string;
  brand: string;
  link: string;
  brandSoft: string;
  mark: string;
  tones: Record<Tone, { text: string; ground: string; line: string }>;
}

export const palettes: Record<Theme, Palette> = {
  light: {
    ground: '#f4f6f5',
    surface: '#ffffff',
    raised: '#fafbfa',
    line: '#dde3e0',
    text: '#17211c',
    soft: '#55625c',
    brand: '#0b6b4d',
    link: '#0b6b4d',
    brandSoft: '#e3f1eb',
    mark: '#ffe9a8',
    tones: {
      neutral: { text: '#47524d', ground: '#edf0ee', line: '#cfd7d3' },
      info: { text: '#14529e', ground: '#e7f0fb', line: '#b8d1f0' },
      good: { text: '#0b6340', ground: '#e1f3ea', line: '#a9d9c1' },
      wait: { text: '#7f4a00', ground: '#fdf0d9', line: '#ecce97' },
      bad: { text: '#a3202b', ground: '#fce9ea', line: '#efb9bd' },
    },
  },
  dark: {
    ground: '#0f1412',
    surface: '#171e1b',
    raised: '#1d2522',
    line: '#303b36',
    text: '#e6ece9',
    soft: '#a3b1aa',
    brand: '#1b7f5e',
    link: '#63d0a8',
    brandSoft: '#183229',
    mark: '#5a4a12',
    tones: {
      neutral: { text: '#b9c5bf', ground: '#252e2a', line: '#3d4944' },
      info: { text: '#8fc0fb', ground: '#15283f', line: '#28496f' },
      good: { text: '#6fd6a9', ground: '#12301f', line: '#22573c' },
      wait: { text: '#f1bd68', ground: '#35270c', line: '#5f4717' },
      bad: { text: '#ff9ca3', ground: '#3b181b', line: '#6c2b31' },
    },
  },
};
