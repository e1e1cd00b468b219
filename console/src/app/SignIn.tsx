/** The door: sign in, create the first admin, accept an invitation. */
import { LockOutlined, TranslationOutlined } from '@ant-design/icons';
import { Button, Form, Input } from 'antd';
import { useEffect, useState, type ReactNode } from 'react';
import { useLocation, useNavigate } from 'react-router';

import { problemOf, type Problem } from '../api/client';
import { useLanguage, useT, type TextKey } from '../i18n';
import { ProblemView } from '../parts/ProblemView';
import { useSession, type Credentials } from './session';

export const SHORTEST_PASSWORD = 10;

export function SignIn() {
  const { pathname } = useLocation();
  const { session } = useSession();
  const [, where, code] = pathname.split('/');
  if (where === 'invite' && code) return <Invitation code={decodeURIComponent(code)} />;
  if (where === 'setup' || session?.set_up === 'needed') {
    return <FirstAdmin code={where === 'setup' && code ? decodeURIComponent(code) : ''} />;
  }
  return <Door />;
}

function Frame({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  const t = useT();
  const { language, setLanguage } = useLanguage();
  const other = language === 'zh' ? 'en' : 'zh';
  useEffect(() => {
    document.title = `${title} · Pointsman`;
  }, [title]);
  return (
    <main className="alone">
      <div className="door">
        <div className="door-head">
          <span className="brand">
            <img src="/signal.svg" alt="" width={26} height={26} />
            Pointsman
          </span>
          <Button type="text" icon={<TranslationOutlined />} onClick={() => void setLanguage(other)}>
            {t(other === 'zh' ? 'shell.toChinese' : 'shell.toEnglish')}
          </Button>
        </div>
        <h1>{title}</h1>
        {hint && <p className="soft">{hint}</p>}
        {children}
      </div>
    </main>
  );
}

/** Seconds until an instant, counted down. */
function useCountdown(until: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (until <= Date.now()) return undefined;
    const timer = setInterval(() => {
      setNow(Date.now());
      if (Date.now() >= until) clearInterval(timer);
    }, 500);
    return () => clearInterval(timer);
  }, [until]);
  return Math.max(0, Math.ceil((until - now) / 1000));
}

/** What became of an attempt to get in. */
function useAttempt<V>(attempt: (values: V) => Promise<void>) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [until, setUntil] = useState(0);
  const left = useCountdown(until);
  const submit = (values: V) => {
    setBusy(true);
    setProblem(undefined);
    attempt(values)
      .catch((fault: unknown) => {
        const found = problemOf(fault);
        if (found.status === 429) setUntil(Date.now() + (found.retry_after ?? 60) * 1000);
        setProblem(found);
      })
      .finally(() => setBusy(false));
  };
  return { busy, problem, left, submit };
}

/** What the server says when the identity provider's answer lets nobody in. */
const REFUSED = new Set([
  'oidc_state', 'oidc_refused', 'oidc_email', 'oidc_unreachable', 'login_unfit', 'login_taken', 'not_invited', 'account_disabled', 'try_again',
]);

function Door() {
  const t = useT();
  const { session, signIn, expired } = useSession();
  const [form] = Form.useForm<Credentials>();
  const { busy, problem, left, submit } = useAttempt(signIn);
  const { pathname, search } = useLocation();
  const refused = new URLSearchParams(search).get('problem');
  const [tried, setTried] = useState('');
  const login = Form.useWatch('login', form) as string | undefined;
  // others may sign in here meanwhile
  const locked = left > 0 && login === tried;
  useEffect(() => {
    // a disabled field has lost the focus
    if (problem?.status === 401) form.focusField('password');
  }, [problem, form]);
  return (
    <Frame title={t('signin.title')}>
      {expired && (
        <p className="note tone-wait" role="status">
          {t('signin.expired')}
        </p>
      )}
      <Form
        form={form}
        layout="vertical"
        onFinish={(values) => {
          setTried(values.login);
          submit(values);
        }}
        requiredMark={false}
        disabled={busy}
      >
        <Form.Item name="login" label={t('signin.login')} rules={[{ required: true, message: t('signin.loginMissing') }]}>
          <Input autoComplete="username" autoCapitalize="none" autoFocus size="large" />
        </Form.Item>
        <Form.Item
          name="password"
          label={t('signin.password')}
          rules={[{ required: true, message: t('signin.passwordMissing') }]}
        >
          <Input.Password autoComplete="current-password" size="large" />
        </Form.Item>
        {refused !== null && !problem && (
          <p className="note tone-bad" role="alert">
            {t(REFUSED.has(refused) ? (`signin.refused_${refused}` as TextKey) : 'signin.refused')}
          </p>
        )}
        {locked ? (
          <Locked left={left} />
        ) : (
          problem &&
          (problem.status === 401 ? (
            <p className="note tone-bad" role="alert">
              {t('signin.wrong')}
            </p>
          ) : (
            problem.status !== 429 && <ProblemView compact problem={problem} />
          ))
        )}
        <Button type="primary" htmlType="submit" block size="large" loading={busy} disabled={locked}>
          {t('signin.go')}
        </Button>
      </Form>
      {session?.oidc && (
        <>
          <p className="or">{t('signin.or')}</p>
          <Button
            block
            size="large"
            href={`/api/session/oidc?next=${encodeURIComponent(refused === null ? pathname + search : pathname)}`}
          >
            {t('signin.oidc', { name: session.oidc.name })}
          </Button>
        </>
      )}
    </Frame>
  );
}

/** Counts down to the eye; what is read aloud is said once. */
function Locked({ left }: { left: number }) {
  const t = useT();
  const [first] = useState(left);
  return (
    <div className="note tone-bad">
      <span className="sr-only" role="alert">
        {t('signin.locked', { seconds: first })}
      </span>
      <span aria-hidden="true">
        <LockOutlined /> {t('signin.locked', { seconds: left })}
      </span>
    </div>
  );
}

function FirstAdmin({ code }: { code: string }) {
  const t = useT();
  const { setUp } = useSession();
  const navigate = useNavigate();
  const { busy, problem, submit } = useAttempt(
    async (values: { code: string; login: string; name?: string; password: string }) => {
      await setUp({ code: values.code, login: values.login, name: values.name ?? '', password: values.password });
      void navigate('/chat', { replace: true });
    },
  );
  return (
    <Frame title={t('signin.setUp')} hint={t('signin.setUpHint')}>
      <Form layout="vertical" onFinish={submit} requiredMark={false} disabled={busy} initialValues={{ code }}>
        <Form.Item
          name="code"
          label={t('signin.code')}
          hidden={code !== ''}
          extra={t('signin.codeHint')}
          rules={[{ required: true, message: t('signin.codeMissing') }]}
        >
          <Input autoComplete="off" size="large" />
        </Form.Item>
        <Form.Item name="login" label={t('signin.login')} rules={[{ required: true, message: t('signin.loginMissing') }]}>
          <Input autoComplete="username" autoCapitalize="none" autoFocus size="large" />
        </Form.Item>
        <Form.Item name="name" label={t('signin.name')}>
          <Input autoComplete="name" size="large" />
        </Form.Item>
        <NewPassword />
        {problem && <ProblemView compact problem={problem} />}
        <Button type="primary" htmlType="submit" block size="large" loading={busy}>
          {t('signin.create')}
        </Button>
      </Form>
    </Frame>
  );
}

function Invitation({ code }: { code: string }) {
  const t = useT();
  const { accept } = useSession();
  const navigate = useNavigate();
  const { busy, problem, submit } = useAttempt(async ({ password }: { password: string }) => {
    await accept(code, password);
    void navigate('/chat', { replace: true });
  });
  return (
    <Frame title={t('signin.invited')} hint={t('signin.invitedHint')}>
      <Form layout="vertical" onFinish={submit} requiredMark={false} disabled={busy}>
        <NewPassword />
        {problem && <ProblemView compact problem={problem} />}
        <Button type="primary" htmlType="submit" block size="large" loading={busy}>
          {t('signin.setPassword')}
        </Button>
      </Form>
    </Frame>
  );
}

function NewPassword() {
  const t = useT();
  return (
    <>
      <Form.Item
        name="password"
        label={t('signin.password')}
        extra={t('signin.passwordHint', { n: SHORTEST_PASSWORD })}
        rules={[
          { required: true, message: t('signin.passwordMissing') },
          { min: SHORTEST_PASSWORD, message: t('signin.passwordShort', { n: SHORTEST_PASSWORD }) },
        ]}
      >
        <Input.Password autoComplete="new-password" size="large" />
      </Form.Item>
      <Form.Item
        name="again"
        label={t('signin.again')}
        dependencies={['password']}
        rules={[
          ({ getFieldValue }) => ({
            validator: (_, value) =>
              value === getFieldValue('password')
                ? Promise.resolve()
                : Promise.reject(new Error(t('signin.againDiffers'))),
          }),
        ]}
      >
        <Input.Password autoComplete="new-password" size="large" />
      </Form.Item>
    </>
  );
}
