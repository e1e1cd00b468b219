/** A small form for what the agent asks; plain words do as well. */
import { Button, Form, Input, InputNumber, Select } from 'antd';

import type { AgentShape, IntentShape } from '../../api/types';
import { useLanguage, useT, useTitle } from '../../i18n';
import type { Asked } from './fold';
import { answerText, parameterTitle, schemaOf, toolOf } from './values';

export function Missing(props: {
  asked: Asked;
  agent: AgentShape | undefined;
  intents: readonly IntentShape[];
  /** The language of the conversation, in which the answer is put. */
  language: 'zh' | 'en';
  onAnswer: (text: string) => void;
}) {
  const { asked, agent, intents, language, onAnswer } = props;
  if (asked.candidates.length > 0) {
    return <Choice candidates={asked.candidates} intents={intents} onAnswer={onAnswer} />;
  }
  return <Fields asked={asked} agent={agent} language={language} onAnswer={onAnswer} />;
}

function Choice(props: {
  candidates: readonly string[];
  intents: readonly IntentShape[];
  onAnswer: (text: string) => void;
}) {
  const title = useTitle();
  const t = useT();
  return (
    <div className="choices" role="group" aria-label={t('chat.choose')}>
      {props.candidates.map((name) => {
        const word = title(props.intents.find((one) => one.intent === name)?.title) || name;
        return (
          <Button key={name} onClick={() => props.onAnswer(word)}>
            {word}
          </Button>
        );
      })}
    </div>
  );
}

function Fields({ asked, agent, language, onAnswer }: Omit<Parameters<typeof Missing>[0], 'intents'>) {
  const t = useT();
  const { language: shown } = useLanguage();
  const tool = toolOf(agent, asked.tool);
  const submit = (values: Record<string, string | number | null | undefined>) => {
    const given = asked.missing.map((name): [string, string] => {
      const value = values[name];
      return [parameterTitle(tool, name, language), value === undefined || value === null ? '' : String(value)];
    });
    const text = answerText(given, language);
    if (text) onAnswer(text);
  };
  return (
    <Form className="missing" layout="vertical" size="middle" requiredMark={false} onFinish={submit} aria-label={t('chat.missing')}>
      {asked.missing.map((name) => {
        const schema = schemaOf(tool, name);
        const title = parameterTitle(tool, name, shown);
        const kind = Array.isArray(schema?.type) ? schema.type[0] : schema?.type;
        return (
          <Form.Item key={name} name={name} label={title} rules={[{ required: true, message: t('chat.missingOne', { what: title }) }]}>
            {schema?.enum ? (
              <Select options={schema.enum.map((one) => ({ value: String(one), label: String(one) }))} />
            ) : kind === 'number' || kind === 'integer' ? (
              <InputNumber style={{ width: '100%' }} />
            ) : kind === 'boolean' ? (
              <Select
                options={[
                  { value: t('chat.yes'), label: t('chat.yes') },
                  { value: t('chat.no'), label: t('chat.no') },
                ]}
              />
            ) : (
              <Input maxLength={schema?.maxLength ?? 2000} />
            )}
          </Form.Item>
        );
      })}
      <Button type="primary" htmlType="submit">
        {t('chat.answer')}
      </Button>
      <span className="soft">{t('chat.orWords')}</span>
    </Form>
  );
}
