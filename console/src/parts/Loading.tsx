import { Skeleton } from 'antd';
import { useEffect, useState } from 'react';

import { useT } from '../i18n';

/** Shows that one waits, after 300 ms. */
export function Loading({ rows = 4 }: { rows?: number }) {
  const t = useT();
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="loading" role="status" aria-label={t('parts.loading')}>
      {late && <Skeleton active title={false} paragraph={{ rows }} />}
    </div>
  );
}
