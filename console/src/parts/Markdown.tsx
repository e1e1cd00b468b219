/**
 * Markdown as elements, never as HTML: what the text holds of HTML is shown as text. Links go to
 * http, https and mailto only; pictures are not fetched but become links (cases X20, X21).
 */
import { CopyOutlined, CheckOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { Lexer, type Token, type Tokens } from 'marked';
import { Fragment, memo, useMemo, type ReactNode } from 'react';

import { useT } from '../i18n';
import { useCopy } from './CopyId';
import { decoded, safeLink } from './links';
import './markdown.css';

/** Foreign text with its markdown. `plain` shows it as one line without blocks. */
export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => new Lexer({ gfm: true, breaks: true }).lex(text), [text]);
  return (
    <div className="markdown">
      {blocks.map((block, n) => (
        <Block key={n} raw={block.raw} type={block.type} token={block} />
      ))}
    </div>
  );
}

/** A block is drawn again only when its own text has changed: the last one, while it is written. */
const Block = memo(
  ({ token }: { raw: string; type: string; token: Token }) => <>{block(token)}</>,
  (former, next) => former.raw === next.raw && former.type === next.type,
);

function block(token: Token): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading': {
      // the page has its own h1 and h2
      const level = Math.min(6, (token as Tokens.Heading).depth + 2);
      return (
        <div role="heading" aria-level={level} className={`heading level-${(token as Tokens.Heading).depth}`}>
          {inlines(token.tokens)}
        </div>
      );
    }
    case 'paragraph':
      return <p>{inlines(token.tokens)}</p>;
    case 'code':
      return <Code text={(token as Tokens.Code).text} language={(token as Tokens.Code).lang ?? ''} />;
    case 'blockquote':
      return <blockquote>{(token.tokens ?? []).map((one, n) => <Fragment key={n}>{block(one)}</Fragment>)}</blockquote>;
    case 'list': {
      const list = token as Tokens.List;
      const items = list.items.map((item, n) => (
        <li key={n}>
          {item.task && <span aria-hidden="true">{item.checked ? '☑ ' : '☐ '}</span>}
          {item.tokens
            .filter((one) => one.type !== 'checkbox')
            .map((one, m) => (
              <Fragment key={m}>{one.type === 'text' ? inline(one) : block(one)}</Fragment>
            ))}
        </li>
      ));
      return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>;
    }
    case 'table':
      return <TableOf table={token as Tokens.Table} />;
    case 'hr':
      return <hr />;
    case 'text':
      return <p>{inline(token)}</p>;
    default:
      return <p>{token.raw}</p>; // html among them: shown as it is written
  }
}

function inlines(tokens: Token[] | undefined): ReactNode {
  return (tokens ?? []).map((one, n) => <Fragment key={n}>{inline(one)}</Fragment>);
}

function inline(token: Token): ReactNode {
  switch (token.type) {
    case 'text':
      return token.tokens ? inlines(token.tokens) : decoded((token as Tokens.Text).raw);
    case 'escape':
      return (token as Tokens.Escape).text;
    case 'strong':
      return <strong>{inlines(token.tokens)}</strong>;
    case 'em':
      return <em>{inlines(token.tokens)}</em>;
    case 'del':
      return <del>{inlines(token.tokens)}</del>;
    case 'codespan':
      return <code>{(token as Tokens.Codespan).text}</code>;
    case 'br':
      return <br />;
    case 'link':
      return <Link href={(token as Tokens.Link).href}>{inlines(withoutLinks(token.tokens))}</Link>;
    case 'image': {
      const { href, text } = token as Tokens.Image;
      return <Link href={href}>{decoded(text) || href}</Link>;
    }
    default:
      return token.raw;
  }
}

/** The parts of a link's text; a picture in it is its description, for links do not nest. */
function withoutLinks(tokens: Token[] | undefined): Token[] {
  return (tokens ?? []).map((one) =>
    one.type === 'image' ? { type: 'text', raw: one.text as string, text: one.text as string } : one,
  );
}

function Link({ href, children }: { href: string; children: ReactNode }) {
  const safe = safeLink(href);
  if (safe === null) return <span title={href}>{children}</span>;
  return (
    <a href={safe} target="_blank" rel="noopener noreferrer" title={safe}>
      {children}
    </a>
  );
}

function Code({ text, language }: { text: string; language: string }) {
  const t = useT();
  const [copied, copy] = useCopy();
  return (
    <div className="code">
      <div className="code-head">
        <span>{language}</span>
        <Button
          size="small"
          type="text"
          aria-label={copied ? t('parts.copied') : t('parts.copy')}
          icon={copied ? <CheckOutlined /> : <CopyOutlined />}
          onClick={() => copy(text)}
        />
      </div>
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </div>
  );
}

function TableOf({ table }: { table: Tokens.Table }) {
  return (
    <div className="scroll-x" tabIndex={0} role="group">
      <table>
        <thead>
          <tr>
            {table.header.map((cell, n) => (
              <th key={n} scope="col" style={{ textAlign: cell.align ?? 'start' }}>
                {inlines(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, n) => (
            <tr key={n}>
              {row.map((cell, m) => (
                <td key={m} style={{ textAlign: cell.align ?? 'start' }}>
                  {inlines(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
