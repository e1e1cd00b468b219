/** The user's conversations: find, open, rename, delete, export. */
import { DeleteOutlined, DownloadOutlined, EditOutlined, MoreOutlined, PlusOutlined, SearchOutlined } from '@ant-design/icons';
import { App, Button, Dropdown, Input } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { Link, useNavigate } from 'react-router';

import { useTopic } from '../../api/channel';
import { api, problemOf } from '../../api/client';
import type { RunStatus } from '../../api/types';
import { useT } from '../../i18n';
import { Empty } from '../../parts/Empty';
import { Loading } from '../../parts/Loading';
import { ProblemView, wordsOf } from '../../parts/ProblemView';
import { StateIcon } from '../../parts/StateTag';
import { useConfirm } from '../../parts/useConfirm';
import { usePages } from '../../parts/usePages';
import { When } from '../../parts/When';

interface Row {
  conversation: string;
  agent: string;
  title: string;
  created: string;
  updated: string;
  runs: number;
  last: { run: string; status: RunStatus; input: string; reply: string } | null;
}

const OPEN = new Set(['queued', 'running', 'split', 'waiting', 'parked', 'failed']);

export function Conversations({ current, onOpen }: { current: string | undefined; onOpen?: () => void }) {
  const t = useT();
  const [text, setText] = useState('');
  const [q, setQ] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setQ(text.trim()), 250);
    return () => clearTimeout(timer);
  }, [text]);
  const pages = usePages<Row>('/api/conversations', 'conversations', { q });
  const { reload } = pages;
  const pending = useRef<ReturnType<typeof setTimeout>>(undefined);
  useTopic('runs', null, () => {
    clearTimeout(pending.current);
    pending.current = setTimeout(reload, 300);
  });
  useEffect(() => () => clearTimeout(pending.current), []);
  return (
    <div className="conversations">
      <Link className="new-chat" to="/chat" {...(onOpen && { onClick: onOpen })}>
        <PlusOutlined aria-hidden="true" /> {t('chat.new')}
      </Link>
      <Input
        allowClear
        prefix={<SearchOutlined aria-hidden="true" />}
        placeholder={t('chat.search')}
        aria-label={t('chat.search')}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {pages.problem && <ProblemView compact problem={pages.problem} onRetry={reload} />}
      {pages.rows.length === 0 && (pages.loading ? <Loading /> : !pages.problem && <Empty title={t(q ? 'parts.noneFound' : 'chat.none')} />)}
      <ul>
        {pages.rows.map((row) => (
          <Item key={row.conversation} row={row} current={row.conversation === current} patch={pages.patch} onOpen={onOpen} />
        ))}
      </ul>
      {pages.more && (
        <Button block type="text" loading={pages.loading} onClick={pages.next}>
          {t('parts.more')}
        </Button>
      )}
    </div>
  );
}

function Item(props: {
  row: Row;
  current: boolean;
  patch: (match: (row: Row) => boolean, change: (row: Row) => Row | undefined) => void;
  onOpen: (() => void) | undefined;
}) {
  const { row, current, patch, onOpen } = props;
  const t = useT();
  const navigate = useNavigate();
  const confirm = useConfirm();
  const { message } = App.useApp();
  const [name, setName] = useState<string>();
  const path = `/api/conversations/${row.conversation}`;
  const mine = (one: Row) => one.conversation === row.conversation;
  const failed = (fault: unknown) => {
    const problem = problemOf(fault);
    message.error(`${t(wordsOf(problem.status)[0])} ${problem.detail}`);
  };
  const rename = () => {
    const title = name?.trim() ?? '';
    setName(undefined);
    if (title === '' || title === row.title) return;
    patch(mine, (one) => ({ ...one, title }));
    api.patch(path, { title }).catch((fault: unknown) => {
      patch(mine, (one) => ({ ...one, title: row.title }));
      failed(fault);
    });
  };
  const remove = async () => {
    const sure = await confirm({
      title: t('chat.deleteTitle'),
      content: t('chat.deleteWhat', { title: row.title }),
      ok: t('chat.delete'),
      danger: true,
    });
    if (!sure) return;
    try {
      await api.del(path);
      patch(mine, () => undefined);
      if (current) void navigate('/chat', { replace: true });
    } catch (fault) {
      failed(fault);
    }
  };
  if (name !== undefined) {
    return (
      <li>
        <Input
          autoFocus
          value={name}
          maxLength={200}
          aria-label={t('chat.rename')}
          onChange={(event) => setName(event.target.value)}
          onBlur={rename}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing) return;
            if (event.key === 'Enter') rename();
            if (event.key === 'Escape') setName(undefined);
          }}
        />
      </li>
    );
  }
  return (
    <li className={current ? 'current' : ''}>
      <Link to={`/chat/${row.conversation}`} aria-current={current ? 'page' : undefined} {...(onOpen && { onClick: onOpen })}>
        <span className="title">
          {row.last && OPEN.has(row.last.status) && <StateIcon state={row.last.status} />} {row.title}
        </span>
        <span className="soft">
          {row.agent} · <When at={row.updated} />
        </span>
      </Link>
      <Dropdown
        trigger={['click']}
        menu={{
          items: [
            { key: 'rename', icon: <EditOutlined />, label: t('chat.rename'), onClick: () => setName(row.title) },
            { key: 'md', icon: <DownloadOutlined />, label: <a href={`${path}/export?format=markdown`} download>{t('chat.exportMarkdown')}</a> },
            { key: 'json', icon: <DownloadOutlined />, label: <a href={`${path}/export?format=json`} download>{t('chat.exportJson')}</a> },
            { type: 'divider' },
            { key: 'delete', danger: true, icon: <DeleteOutlined />, label: t('chat.delete'), onClick: () => void remove() },
          ],
        }}
      >
        <Button type="text" size="small" icon={<MoreOutlined />} aria-label={t('chat.actionsOf', { title: row.title })} />
      </Dropdown>
    </li>
  );
}
