import { describe, expect, it } from 'vitest';

import { engineWords } from './engine';

describe('what the engine wrote', () => {
  it.each([
    ['policy rule 3', '策略第 3 条'],
    ['policy rule 1 (amount > 500)', '策略第 1 条（amount > 500）'],
    ['policy rule 1 (amount > 500; cannot be decided)', '策略第 1 条（amount > 500，无法判定）'],
    ['default for read', '只读操作的默认规则'],
    ['already approved by li', 'li 已经批准'],
    ["ben may not decide this: it needs the role 'finance'", 'ben 不能决定这一项：要有角色 finance'],
    ['default for write, raised: to untrusted', '有改动的操作的默认规则，风险提高一级：to 不可信'],
    ['rules: order_query 0.90, refund 0.61', '规则：order_query 0.90, refund 0.61'],
    ['mine: below accept: refund 0.61', 'mine：没有达到采纳的分数：refund 0.61'],
    ['unsourced: “42” (call 1.0)', '内容没有来源：“42”（调用 1.0）'],
    ['DENIED by policy (policy rule 2). Do not retry.', '按策略不允许（策略第 2 条）。'],
    ['NOT RUN: missing: city, day. The user is asked; do not guess.', '未执行：缺少 city, day。正在询问用户。'],
  ])('%s is said in Chinese', (english, chinese) => {
    expect(engineWords(english, 'zh')).toBe(chinese);
    expect(engineWords(english, 'en')).toBe(english);
  });

  it.each([
    ['calls that only read by default: it may run at once', '只读操作默认可以直接执行'],
    [
      'policy rule 2 (amount > (500)): it needs the approval of finance; the condition cannot be decided, so the stricter answer holds',
      '策略第 2 条（amount > (500)）：需要finance批准；条件无法判定，按更严的处理',
    ],
    [
      'calls that change something by default: it needs your confirmation (risk raised: the value of to comes only from untrusted content)',
      '会产生改动的操作默认需要您确认（to 的值只来自不可信内容，风险提高一级）',
    ],
  ])('%s is said in both', (english, chinese) => {
    expect(engineWords(english, 'zh')).toBe(chinese);
    expect(engineWords(chinese, 'en')).toBe(english);
  });

  it('stays as it is where it is not known', () => {
    for (const text of ['the parcel has come', 'ERROR: HTTP 500', '策略', '']) {
      expect(engineWords(text, 'zh')).toBe(text);
      expect(engineWords(text, 'en')).toBe(text);
    }
  });

  it('keeps what others wrote inside of it', () => {
    expect(engineWords("DENIED by li: {reason} (rules). Do not retry unless asked.", 'zh')).toBe('li 拒绝了：{reason} (rules)。');
  });

  it('is not looked for in a long text', () => {
    const long = `x: ${'1 was read as '.repeat(80)}2`;
    expect(engineWords(long, 'zh')).toBe(long);
  });
});
