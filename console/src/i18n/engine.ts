/**
 * What the engine writes into the journal and the model reads has one form in one language. Here is
 * the same in the other. What has no fixed form, such as what a tool says, stays as it is.
 */
import type { Language } from '.';
import { fill, type Values } from './fill';

/**
 * English and Chinese. `{phrase}` is itself such a sentence; `{n}` is a number; `{scores}` are names
 * with their scores; other places hold anything. The first that fits is taken.
 */
const PAIRS: readonly (readonly [en: string, zh: string])[] = [
  // what the policy answers, and why
  ['policy rule {n} ({condition}): it {phrase}; the condition cannot be decided, so the stricter answer holds', '策略第 {n} 条（{condition}）：{phrase}；条件无法判定，按更严的处理'],
  ['policy rule {n} ({condition}): it {phrase}', '策略第 {n} 条（{condition}）：{phrase}'],
  ['policy rule {n}: it {phrase}', '策略第 {n} 条：{phrase}'],
  ['{phrase} (risk raised: the value of {names} comes only from untrusted content)', '{phrase}（{names} 的值只来自不可信内容，风险提高一级）'],
  ['calls that only read by default: it {phrase}', '只读操作默认{phrase}'],
  ['calls that change something by default: it {phrase}', '会产生改动的操作默认{phrase}'],
  ['calls that are critical by default: it {phrase}', '高风险的操作默认{phrase}'],
  ['may run at once', '可以直接执行'],
  ['needs your confirmation', '需要您确认'],
  ['needs the approval of {by}', '需要{by}批准'],
  ['may not run', '不允许执行'],
  ['policy rule {n} ({condition}; cannot be decided)', '策略第 {n} 条（{condition}，无法判定）'],
  ['policy rule {n} ({condition})', '策略第 {n} 条（{condition}）'],
  ['policy rule {n}', '策略第 {n} 条'],
  ['{phrase}, raised: {names} untrusted', '{phrase}，风险提高一级：{names} 不可信'],
  ['default for read', '只读操作的默认规则'],
  ['default for write', '有改动的操作的默认规则'],
  ['default for critical', '关键操作的默认规则'],
  // the way of a message
  ['open mode', '开放模式'],
  ['never mind', '用户不再需要'],
  ['answers a question', '回答了先前的提问'],
  ['decides nothing', '什么也决定不了'],
  ['{phrase}: below accept: {scores}', '{phrase}：没有达到采纳的分数：{scores}'],
  ['{phrase}: no intent: no scores', '{phrase}：没有认出意图'],
  ['{phrase}: no intent: {scores}', '{phrase}：没有认出意图：{scores}'],
  ['{phrase}: {scores}', '{phrase}：{scores}'],
  ['rules', '规则'],
  ['examples', '例句模型'],
  ['llm', '大模型'],
  ['cascade', '逐级判断'],
  ["the user's answer completes the pending call", '用户的回答补全了等待中的调用'],
  // what became of a run
  ['taken up again', '重新接着执行'],
  ['the worker stops', '工作进程停止'],
  ['cancelled while running', '执行中被取消'],
  ['stopped in the console', '在控制台中停止'],
  ['superseded by a new message', '被新消息取代'],
  // how arguments were read
  ['{name}: there is no such parameter; it was left out', '{name}：没有这个参数，已略去'],
  ['{name}: it was written {written}', '{name}：原写作 {written}'],
  ['{name}: {value} was left out', '{name}：略去了 {value}'],
  ['{name}: {old} was read as {new}', '{name}：{old} 读作 {new}'],
  ['null or an empty list was read as no arguments', '空值或空列表读作没有参数'],
  ['the object was taken out of a list', '从列表中取出了对象'],
  ['full-width punctuation was read as JSON syntax', '全角标点读作 JSON 的标点'],
  ['a comment was left out', '略去了注释'],
  ['a needless comma was left out', '略去了多余的逗号'],
  ['a missing comma was added', '补上了缺少的逗号'],
  ['a missing opening brace was added', '补上了缺少的开头括号'],
  ['missing closing brackets were added', '补上了缺少的结尾括号'],
  ['needless closing brackets were left out', '略去了多余的结尾括号'],
  ['a backslash that JSON does not know was kept as text', '保留了 JSON 不认识的反斜杠'],
  ['a needless backslash was left out', '略去了多余的反斜杠'],
  ['line ends that were written out were left out', '略去了写成文字的换行'],
  ['raw line ends or tabs in a string were kept', '保留了字符串里的换行或制表符'],
  ['quotes were put around a key', '给键加上了引号'],
  ['single quotes were read as double', '单引号读作双引号'],
  ['words of Python or JavaScript were read as JSON', 'Python 或 JavaScript 的写法读作 JSON'],
  ['a number was written in another form', '数字换了一种写法'],
  ['blank characters that JSON does not know were left out', '略去了 JSON 不认识的空白字符'],
  ['text around the object was left out', '略去了对象前后的文字'],
  ['an empty object beside the arguments was left out', '略去了参数旁边的空对象'],
  ['the same object was given more than once', '同一个对象给了多次'],
  ['a key was given twice with the same value', '同一个键以相同的值给了两次'],
  ['characters that are not text were removed', '去掉了不是文字的字符'],
  ['the arguments were encoded twice', '参数被编码了两次'],
  ['the arguments were taken out of {name}', '参数是从 {name} 中取出的'],
  // why a call did not run
  ['NOT RUN: missing: {names}. The user is asked; do not guess.', '未执行：缺少 {names}。正在询问用户。'],
  ['NOT RUN: nobody gave these values: {names}. The user is asked; do not guess.', '未执行：没有人给出 {names} 的值。正在询问用户。'],
  ['NOT RUN: it can be read in two ways: {names}. The user is asked; do not guess.', '未执行：{names} 有两种读法。正在询问用户。'],
  ['ERROR: unknown tool {tool}. Available tools: {tools}.', '未执行：没有工具 {tool}。可用的工具：{tools}。'],
  ['ERROR: not run: your output was cut by the output limit (max_tokens). Send less: fewer calls or shorter arguments.', '未执行：模型的输出被长度上限截断了。'],
  ['ERROR: not run: this exact call was already made {n} times in this request. Do not repeat it; use the results you have, or answer.', '未执行：完全相同的调用在这次请求中已有 {n} 次。'],
  ['ERROR: not run, limit: at most {n} calls in one reply. Call it again if still needed.', '未执行：一次回答最多 {n} 个调用。'],
  ['ERROR: not run, limit: this request has used its {n} tool calls. Answer now.', '未执行：这次请求的 {n} 次工具调用已用完。'],
  ['ERROR: not run: call this tool alone, not together with others.', '未执行：这个工具只能单独调用。'],
  ['ERROR: not run: this tool is not available for this request. Answer without it, or say what you cannot do.', '未执行：这次请求不能用这个工具。'],
  ['ERROR: not run: one plan at a time; put all tasks into one call.', '未执行：一次只能有一个计划。'],
  ['ERROR: tool no longer available.', '未执行：工具已不可用。'],
  ['ERROR: not run: {tool} is temporarily unavailable after {n} failures; try again in {wait} s. Do without it, or tell the user.', '未执行：{tool} 失败 {n} 次后暂时停用，{wait} 秒后再试。'],
  ['ERROR: not run, limit: {tool} has its calls for this user (in {span} s: {calls}); try again in {wait} s. Do without it, or tell the user.', '未执行：该用户对 {tool} 的调用已达上限（{span} 秒内 {calls} 次），{wait} 秒后再试。'],
  ['ERROR: not run, limit: {tool} is busy (calls at the same time: {places}). Try again later, or tell the user.', '未执行：{tool} 正忙（同时最多 {places} 个调用）。'],
  ['ERROR: not run: {tool} was switched off by an operator: {reason}. Do without it, or tell the user.', 'ERROR: 未执行：运维人员已停用工具 {tool}，原因：{reason}。请不用它完成，或告诉用户。'],
  ['ERROR: not run: {tool} was switched off by an operator. Do without it, or tell the user.', 'ERROR: 未执行：运维人员已停用工具 {tool}。请不用它完成，或告诉用户。'],
  ['DENIED by policy ({phrase}). Do not retry.', '按策略不允许（{phrase}）。'],
  ['DENIED by user: {reason}. Do not retry unless asked.', '用户拒绝了：{reason}。'],
  ['DENIED by user. Do not retry unless asked.', '用户拒绝了。'],
  ['DENIED by {by}: {reason}. Do not retry unless asked.', '{by} 拒绝了：{reason}。'],
  ['DENIED by {by}. Do not retry unless asked.', '{by} 拒绝了。'],
  ['NOT RUN: the approval expired before anybody decided. Ask again if it is still wanted.', '未执行：审批已过期，没有人决定。'],
  ['NOT RUN: it was approved, but too long ago. Ask again if it is still wanted.', '未执行：批准的时间太久了。'],
  ['NOT RUN: the user wrote a new message instead of confirming.', '未执行：用户没有确认，而是发了新消息。'],
  ['NOT RUN: the tool or the arguments changed after the approval was asked.', '未执行：提请审批之后，工具或参数变了。'],
  ['NOT RUN: {by} takes this over and does it by hand: {reason}. Do not do it; tell the user.', '未执行：{by} 接手人工处理：{reason}。'],
  ['NOT RUN: {by} takes this over and does it by hand. Do not do it; tell the user.', '未执行：{by} 接手人工处理。'],
  ['NOT RUN: {by} changed the arguments.', '未执行：{by} 改了参数。'],
  ['NOT RUN: the run was cancelled.', '未执行：运行已取消。'],
  ['NOT RUN YET: a person must decide first.', '尚未执行：要等人决定。'],
  // why a person's request had no effect
  ['{who} may not decide this: it needs the asking user', '{who} 不能决定这一项：要由提出的用户决定'],
  ["{who} may not decide this: it needs the role '{role}'", '{who} 不能决定这一项：要有角色 {role}'],
  ["{who} asked for this: another person with the role '{role}' decides", '这是 {who} 自己提出的：要由另一个有角色 {role} 的人决定'],
  ['approval {id} has expired, the call did not run: ask again', '审批已过期，调用没有执行，请重新提出'],
  ['run {id} has ended ({state}): there is nothing left to decide', '运行已结束，没有什么可以决定的了'],
  ['run {id} has ended already', '运行已经结束'],
  ['run {id} is not parked ({state})', '运行没有被搁置'],
  ['already approved by {who}', '{who} 已经批准'],
  ['already denied by {who}', '{who} 已经拒绝'],
  ['already edited by {who}', '{who} 已改为其他参数'],
  ['already taken over by {who}', '{who} 已接手人工处理'],
  ['already superseded by {who}', '已被 {who} 的新消息取代'],
  ['already cancelled by {who}', '{who} 已取消'],
  ['the tool {tool} is no longer what it was when this was asked', '提请审批之后，工具 {tool} 变了'],
  ['the policy does not allow these arguments ({phrase})', '策略不允许这些参数（{phrase}）'],
  ['the folder has changed meanwhile', '文件夹在此期间变了'],
  ['the conversation goes on: cancel its run, or wait', '对话还在进行：请取消它的运行，或等它结束'],
  ['the account was changed at this moment; try again', '账号刚刚被改动，请重试'],
  ['the two are of different suites', '这两次评测不是同一个评测集'],
  ['evaluation {id} is not done', '评测还没有完成'],
  ['this reminder was cancelled: make a new one', '这个提醒已取消，请新建一个'],
  ['its time has passed while it was paused: give it another time', '暂停期间已过了时间，请改一个时间'],
  ['snooze it until an instant that is still to come', '请推迟到一个还没到的时间'],
  ['a password needs {n} characters or more', '密码至少 {n} 个字符'],
  ['a password may have {n} characters', '密码至多 {n} 个字符'],
  ['this password is among the first that are guessed', '这个密码太容易猜到'],
  ['a password must not contain the login', '密码里不能有用户名'],
  ['expected 1 to 64 letters, digits and . _ @ + -, beginning and ending with a letter', '要 1 到 64 个字母、数字和 . _ @ + -，首尾是字母'],
  ['no administrator would be left: make another one first', '这样就没有管理员了：请先指定另一位'],
  ['there is an administrator already: sign in', '已经有管理员了：请登录'],
  // what is wrong in a reply
  ['it answers the note, and not the user', '回答的是提示，而不是用户'],
  ['{phrase} (call {call})', '{phrase}（调用 {call}）'],
  ['claimed_success: {quote}', '声称成功，其实没有：{quote}'],
  ['claimed_action: {quote}', '声称做了没有做的事：{quote}'],
  ['unmentioned: {quote}', '没有说明未执行：{quote}'],
  ['not_open: {quote}', '没有说明结果不确定：{quote}'],
  ['wrong_end: {quote}', '说错了结局：{quote}'],
  ['unsourced: {quote}', '内容没有来源：{quote}'],
  ['claimed_success', '声称成功，其实没有'],
  ['claimed_action', '声称做了没有做的事'],
  ['unmentioned', '没有说明未执行'],
  ['not_open', '没有说明结果不确定'],
  ['wrong_end', '说错了结局'],
  ['unsourced', '内容没有来源'],
  // what a check of an evaluation expected, and what came
  ['contains one of {list}', '含有其中之一：{list}'],
  ['contains {quoted}', '含有 {quoted}'],
  ['does not contain {quoted}', '不含 {quoted}'],
  ['matches {quoted}', '符合 {quoted}'],
  ['a question', '提问'],
  ["a question of the model's own", '模型自己的提问'],
  ['question about {names}', '询问 {names}'],
  ['an answer', '回答'],
  ['no failure', '不失败'],
  ['failure: {reason}', '失败：{reason}'],
  ['the user is asked to confirm', '请用户确认'],
  ['somebody is asked to approve', '请人批准'],
  ['asked {n} times', '问了 {n} 次'],
  ['no call of {tool}', '没有调用 {tool}'],
  ['{names} (rejected: {tools})', '{names}（被驳回：{tools}）'],
];

const LONGEST = 600;
const PLACES: Record<string, string> = { n: '\\d+', scores: '\\S+ \\d\\.\\d\\d(?:, \\S+ \\d\\.\\d\\d)*' };

interface Form {
  read: RegExp;
  written: string;
}

const FORMS: Record<Language, readonly Form[]> = {
  zh: PAIRS.map(([en, zh]) => ({ read: pattern(en), written: zh })),
  en: PAIRS.map(([en, zh]) => ({ read: pattern(zh), written: en })),
};

function pattern(text: string): RegExp {
  const literal = text.replace(/[.*+?^$()[\]\\|]/g, '\\$&');
  return new RegExp(`^${literal.replace(/\{(\w+)\}/g, (_, name: string) => `(?<${name}>${PLACES[name] ?? '.+'})`)}$`, 's');
}

/** The engine's sentence in this language; one that is not known, or is in it already, as it is. */
export function engineWords(text: string, language: Language): string {
  if (text.length > LONGEST) return text;
  for (const { read, written } of FORMS[language]) {
    const found = read.exec(text);
    if (found === null) continue;
    const values: Values = { ...found.groups };
    if (typeof values.phrase === 'string') values.phrase = engineWords(values.phrase, language);
    return fill(written, values);
  }
  return text;
}
