import { describe, expect, it } from 'vitest';

import { decoded, safeLink } from './links';

describe('a link in foreign text', () => {
  it.each(['https://ok.test/a?b=c', 'http://ok.test', 'mailto:a@ok.test'])('may lead to %s', (address) => {
    expect(safeLink(address)).toContain(address.slice(0, 12));
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt&#58;alert(1)',
    'javascript&colon;alert(1)',
    'java\tscript:alert(1)',
    ' \u0001javascript:alert(1)',
    'data:text/html,<script>1</script>',
    'vbscript:x',
    'file:///etc/passwd',
    '//evil.test/x',
    '/api/runs',
    'https://a b',
    '',
  ])('may not lead to %j', (address) => {
    expect(safeLink(address)).toBeNull();
  });

  it('reads character references once', () => {
    expect(decoded('&amp;lt; &#x3c; &#60; &nope;')).toBe('&lt; < < &nope;');
  });
});
