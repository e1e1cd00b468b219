import { App } from 'antd';
import { useCallback, type ReactNode } from 'react';

import { useT } from '../i18n';

export interface Question {
  title: string;
  content?: ReactNode;
  ok?: string;
  danger?: boolean;
}

/** Ask before something that cannot be taken back; resolves to whether it is wanted. */
export function useConfirm(): (question: Question) => Promise<boolean> {
  const { modal } = App.useApp();
  const t = useT();
  return useCallback(
    async (question) =>
      modal.confirm({
        title: question.title,
        content: question.content,
        okText: question.ok ?? t('parts.confirm'),
        cancelText: t('parts.cancel'),
        okButtonProps: { danger: question.danger ?? false },
        focusable: { autoFocusButton: question.danger ? 'cancel' : 'ok' },
      }),
    [modal, t],
  );
}
