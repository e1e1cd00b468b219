import { expect, test } from 'vitest';

import { promptFile, sectionOf, textOf, withSection } from './sections';

const FILE = `agent: shop
instructions: prompts/system.md  # who it is

# What answers.
model: {use: offline}

# What it may call.
tools:
  - python: tools:all
  # only these
policy:
  - when: x
`;

test('a section goes from its key to the next one, whose comment is not part of it', () => {
  const found = sectionOf(FILE, 'model');
  expect(found && textOf(FILE, found)).toBe('model: {use: offline}');
});

test('an indented comment belongs to its section', () => {
  const found = sectionOf(FILE, 'tools');
  expect(found && textOf(FILE, found)).toBe('tools:\n  - python: tools:all\n  # only these');
});

test('writing a section leaves the rest as it is', () => {
  const found = sectionOf(FILE, 'model');
  expect(withSection(FILE, found, 'model: {use: ark}')).toBe(FILE.replace('use: offline', 'use: ark'));
  expect(withSection(FILE, undefined, 'intents:')).toBe(`${FILE}\nintents:\n`);
});

test('a key inside of a section is no section', () => {
  expect(sectionOf(FILE, 'python')).toBeUndefined();
});

test('the prompt is the file that the agent file names', () => {
  expect(promptFile(FILE, ['prompts/other.md', 'prompts/system.md'])).toBe('prompts/system.md');
  expect(promptFile('agent: x', ['prompts/other.md'])).toBe('prompts/other.md');
});
