import { SearchOutlined } from '@ant-design/icons';
import { Button, DatePicker, Input, InputNumber, Select, Table, type TableColumnsType } from 'antd';
import dayjs from 'dayjs';
import { useEffect, useRef, useState, type ReactNode } from 'react';

import { useTopic } from '../api/channel';
import type { Query } from '../api/client';
import { useT } from '../i18n';
import { Empty } from './Empty';
import { Loading } from './Loading';
import { ProblemView } from './ProblemView';
import { useFilters, type Filters } from './useFilters';
import { usePages, type Pages } from './usePages';
import { usePhone } from './useWidth';
import './parts.css';

/** A filter of a list; its name is that of the query parameter and that in the page's address. */
export interface Filter {
  name: string;
  label: string;
  kind: 'text' | 'select' | 'many' | 'number' | 'time';
  options?: readonly { value: string; label: string }[];
  width?: number;
}

export interface DataTableProps<Row extends object> {
  /** The route that gives `{<rows>: [...], before}`. */
  path: string;
  rows: string;
  rowKey: keyof Row & string;
  columns: TableColumnsType<Row>;
  /** The row as a card, for a phone. */
  card: (row: Row) => ReactNode;
  filters?: readonly Filter[];
  /** Parameters besides the filters. */
  query?: Query;
  onOpen?: (row: Row) => void;
  /** A topic whose happenings make the list be asked for again. */
  topic?: string;
  label: string;
  empty?: ReactNode;
  /** Pixels of the table's body. */
  height?: number;
  limit?: number;
  extra?: (pages: Pages<Row>) => ReactNode;
}

/**
 * A list that is paged and filtered on the server: a virtual table, or cards on a phone. Older rows
 * are fetched when the end comes near. Its filters are in the page's address.
 */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { path, rows, rowKey, columns, card, query = {}, onOpen, topic, label, empty } = props;
  const t = useT();
  const phone = usePhone();
  const specs = props.filters ?? [];
  const filters = useFilters(specs.map((one) => one.name));
  const pages = usePages<Row>(path, rows, { ...query, ...filters.query }, props.limit);
  const { reload } = pages;
  const pending = useRef<ReturnType<typeof setTimeout>>(undefined);
  useTopic(topic ?? null, null, () => {
    clearTimeout(pending.current);
    pending.current = setTimeout(reload, 500);
  });
  useEffect(() => () => clearTimeout(pending.current), []);
  const filtered = Object.keys(filters.query).length > 0;
  const height = props.height ?? Math.max(240, window.innerHeight - 320);
  return (
    <section aria-label={label} className="data">
      {specs.length > 0 && <FilterBar specs={specs} filters={filters} />}
      {props.extra?.(pages)}
      {pages.problem && <ProblemView problem={pages.problem} onRetry={reload} />}
      {pages.rows.length === 0 && !pages.loading && !pages.problem && (
        filtered ? (
          <Empty title={t('parts.noneFound')} hint={t('parts.noneFoundHint')}>
            <Button onClick={filters.clear}>{t('parts.clearFilters')}</Button>
          </Empty>
        ) : (
          (empty ?? <Empty title={t('parts.empty')} />)
        )
      )}
      {pages.rows.length === 0 && pages.loading && <Loading />}
      {pages.rows.length > 0 &&
        (phone ? (
          <ul className="cards">
            {pages.rows.map((row) => (
              <li key={String(row[rowKey])}>{card(row)}</li>
            ))}
          </ul>
        ) : (
          <Table<Row>
            virtual
            size="small"
            rowKey={rowKey}
            columns={columns}
            dataSource={pages.rows}
            pagination={false}
            scroll={{ x: 900, y: height }}
            onRow={(row) => (onOpen ? rowProps(() => onOpen(row)) : {})}
            onScroll={(event) => {
              const { scrollTop, clientHeight, scrollHeight } = event.currentTarget;
              if (scrollTop + clientHeight > scrollHeight - 400) pages.next();
            }}
          />
        ))}
      {pages.rows.length > 0 && (
        <footer className="data-foot">
          <span aria-live="polite">{t('parts.rows', { n: pages.rows.length })}</span>
          {pages.more && (
            <Button size="small" loading={pages.loading} onClick={pages.next}>
              {t('parts.more')}
            </Button>
          )}
        </footer>
      )}
    </section>
  );
}

/** A row that opens by click and by keyboard. */
function rowProps(open: () => void) {
  return {
    tabIndex: 0,
    className: 'openable',
    onClick: open,
    onKeyDown: (event: React.KeyboardEvent) => {
      if (event.key === 'Enter' && event.target === event.currentTarget) open();
    },
  };
}

function FilterBar({ specs, filters }: { specs: readonly Filter[]; filters: Filters }) {
  const t = useT();
  const phone = usePhone();
  const set = Object.keys(filters.query).length;
  const [open, setOpen] = useState(set > 0);
  const shown = phone && !open && specs.length > 3 ? specs.slice(0, 1) : specs;
  return (
    <div className="filters" role="search">
      {phone && specs.length > 3 && (
        <Button aria-expanded={open} onClick={() => setOpen(!open)}>
          {t('work.filters', { n: set })}
        </Button>
      )}
      {shown.map((spec) => (
        <FilterField key={spec.name} spec={spec} filters={filters} />
      ))}
      {Object.keys(filters.query).length > 0 && (
        <Button type="link" onClick={filters.clear}>
          {t('parts.clearFilters')}
        </Button>
      )}
    </div>
  );
}

function FilterField({ spec, filters }: { spec: Filter; filters: Filters }) {
  const { name, label, width = 160 } = spec;
  const value = filters.get(name);
  const style = { width };
  switch (spec.kind) {
    case 'text':
      return <TextFilter key={value} spec={spec} filters={filters} />;
    case 'select':
    case 'many':
      return (
        <Select
          aria-label={label}
          placeholder={label}
          style={{ minWidth: width }}
          allowClear
          {...(spec.kind === 'many' && { mode: 'multiple' as const, maxTagCount: 2 })}
          value={spec.kind === 'many' ? filters.all(name) : value || undefined}
          options={[...(spec.options ?? [])]}
          showSearch={{ optionFilterProp: 'label' }}
          onChange={(next: string | string[] | undefined) => filters.set({ [name]: next ?? null })}
        />
      );
    case 'number':
      return (
        <InputNumber
          aria-label={label}
          placeholder={label}
          style={style}
          min={0}
          value={value ? Number(value) : null}
          onChange={(next) => filters.set({ [name]: next === null ? null : String(next) })}
        />
      );
    case 'time':
      return (
        <DatePicker
          aria-label={label}
          placeholder={label}
          showTime={{ format: 'HH:mm' }}
          format="YYYY-MM-DD HH:mm"
          value={value ? dayjs(value) : null}
          onChange={(next) => filters.set({ [name]: next ? next.toISOString() : null })}
        />
      );
  }
}

function TextFilter({ spec, filters }: { spec: Filter; filters: Filters }) {
  const [text, setText] = useState(filters.get(spec.name));
  const apply = () => {
    if (text.trim() !== filters.get(spec.name)) filters.set({ [spec.name]: text.trim() });
  };
  return (
    <Input
      aria-label={spec.label}
      placeholder={spec.label}
      style={{ width: spec.width ?? 220 }}
      prefix={<SearchOutlined aria-hidden="true" />}
      allowClear
      value={text}
      onChange={(event) => {
        setText(event.target.value);
        if (event.type === 'click') filters.set({ [spec.name]: null });
      }}
      onPressEnter={apply}
      onBlur={apply}
    />
  );
}
