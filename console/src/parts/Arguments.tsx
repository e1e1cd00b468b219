import { Input, InputNumber, Segmented, Select } from 'antd';
import { useId, useState } from 'react';

import type { JsonSchema } from '../api/types';
import { useT } from '../i18n';
import './work.css';

/** As much of a JSON schema as the form understands. */
export interface Schema extends JsonSchema {
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

export type Values = Record<string, unknown>;

/** The type that a form field goes by; without null. */
function typeOf(schema: Schema, value: unknown): string {
  const stated = Array.isArray(schema.type) ? schema.type.find((one) => one !== 'null') : schema.type;
  if (stated) return stated;
  const choice = schema.anyOf?.find((one) => one.type !== 'null');
  if (choice) return typeOf(choice, value);
  if (Array.isArray(value)) return 'array';
  return value === null || value === undefined ? 'string' : typeof value;
}

/** Arguments of a call, as a form made of their schema or as JSON. `onChange` gets undefined while the JSON cannot be read. */
export function ArgumentsEditor(props: {
  schema: Schema | undefined;
  value: Values;
  onChange: (value: Values | undefined) => void;
  faults?: Record<string, string>;
  notes?: Record<string, string>;
}) {
  const { schema, value, onChange, faults = {}, notes = {} } = props;
  const t = useT();
  const [mode, setMode] = useState<'form' | 'json'>('form');
  const [text, setText] = useState('');
  const [wrong, setWrong] = useState('');
  const id = useId();
  const names = [...new Set([...Object.keys(schema?.properties ?? {}), ...Object.keys(value)])];
  const change = (name: string, next: unknown) => {
    const others = Object.entries(value).filter(([one]) => one !== name);
    onChange(next === undefined ? Object.fromEntries(others) : { ...value, [name]: next });
  };
  const write = (next: string) => {
    setText(next);
    try {
      const parsed: unknown = JSON.parse(next);
      if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw new Error(t('work.jsonObject'));
      setWrong('');
      onChange(parsed as Values);
    } catch (fault) {
      setWrong(fault instanceof Error ? fault.message : String(fault));
      onChange(undefined);
    }
  };
  return (
    <div className="stack">
      <Segmented
        size="small"
        aria-label={t('work.argumentsAs')}
        style={{ justifySelf: 'start' }}
        value={mode}
        onChange={(next) => {
          if (next === 'json') setText(JSON.stringify(value, null, 2));
          else if (wrong) onChange(value);
          setWrong('');
          setMode(next);
        }}
        options={[
          { value: 'form' as const, label: t('work.form') },
          { value: 'json' as const, label: 'JSON' },
        ]}
      />
      {mode === 'json' ? (
        <div className="field">
          <Input.TextArea
            aria-label={t('work.arguments')}
            value={text}
            autoSize={{ minRows: 6, maxRows: 20 }}
            status={wrong ? 'error' : ''}
            onChange={(event) => write(event.target.value)}
            style={{ fontFamily: 'ui-monospace, Menlo, Consolas, monospace' }}
          />
          {wrong && (
            <span className="fault" role="alert">
              {t('work.jsonWrong', { why: wrong })}
            </span>
          )}
        </div>
      ) : names.length === 0 ? (
        <p className="soft">{t('work.noArguments')}</p>
      ) : (
        names.map((name) => {
          const spec = schema?.properties?.[name] ?? {};
          const needed = schema?.required?.includes(name) ?? false;
          return (
            <div className="field" key={name}>
              <label htmlFor={`${id}-${name}`}>
                {spec.title ?? name}
                {spec.title && spec.title !== name && <code className="soft"> {name}</code>}
                {needed && <span title={t('work.required')}> *</span>}
              </label>
              <Field id={`${id}-${name}`} schema={spec} value={value[name]} onChange={(next) => change(name, next)} />
              {spec.description && <span className="soft">{spec.description}</span>}
              {notes[name] && <span className="soft">{notes[name]}</span>}
              {faults[name] && (
                <span className="fault" role="alert">
                  {faults[name]}
                </span>
              )}
            </div>
          );
        })
      )}
    </div>
  );
}

function Field(props: { id: string; schema: Schema; value: unknown; onChange: (value: unknown) => void }) {
  const { id, schema, value, onChange } = props;
  const t = useT();
  const type = typeOf(schema, value);
  const options = schema.enum ?? schema.anyOf?.find((one) => one.enum)?.enum;
  if (options) {
    return (
      <Select
        id={id}
        allowClear
        value={value}
        options={options.map((one) => ({ value: one, label: String(one) }))}
        onChange={(next: unknown) => onChange(next)}
      />
    );
  }
  switch (type) {
    case 'boolean':
      return (
        <Select
          id={id}
          allowClear
          value={value as boolean | undefined}
          options={[
            { value: true, label: t('work.yes') },
            { value: false, label: t('work.no') },
          ]}
          onChange={(next: boolean | undefined) => onChange(next)}
        />
      );
    case 'integer':
    case 'number':
      return (
        <InputNumber
          id={id}
          style={{ width: '100%' }}
          value={typeof value === 'number' ? value : null}
          {...(type === 'integer' && { precision: 0 })}
          onChange={(next) => onChange(next ?? undefined)}
        />
      );
    case 'array':
      if (['string', undefined].includes(schema.items?.type as string | undefined) && isTexts(value)) {
        return (
          <Select
            id={id}
            mode="tags"
            value={value ?? []}
            open={false}
            suffix={null}
            placeholder={t('work.tagsHint')}
            onChange={(next: string[]) => onChange(next.length > 0 ? next : undefined)}
          />
        );
      }
      return <JsonField id={id} value={value} onChange={onChange} />;
    case 'object':
      return <JsonField id={id} value={value} onChange={onChange} />;
    default:
      return (
        <Input.TextArea
          id={id}
          autoSize={{ minRows: 1, maxRows: 8 }}
          value={typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)}
          onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
        />
      );
  }
}

function isTexts(value: unknown): value is string[] | undefined {
  return value === undefined || (Array.isArray(value) && value.every((one) => typeof one === 'string'));
}

/** A value that the form has no field for, written as JSON. */
function JsonField({ id, value, onChange }: { id: string; value: unknown; onChange: (value: unknown) => void }) {
  const t = useT();
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value, null, 2));
  const [wrong, setWrong] = useState(false);
  return (
    <>
      <Input.TextArea
        id={id}
        autoSize={{ minRows: 2, maxRows: 10 }}
        value={text}
        status={wrong ? 'error' : ''}
        placeholder="JSON"
        onChange={(event) => {
          setText(event.target.value);
          if (event.target.value.trim() === '') {
            setWrong(false);
            onChange(undefined);
            return;
          }
          try {
            onChange(JSON.parse(event.target.value));
            setWrong(false);
          } catch {
            setWrong(true);
          }
        }}
      />
      {wrong && <span className="fault">{t('work.jsonUnread')}</span>}
    </>
  );
}
