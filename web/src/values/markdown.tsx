import { lexer, type Token, type Tokens } from 'marked'
import { type ReactNode, useMemo } from 'react'
import { visible } from '../format/text.js'

const LINKED = /^(https?:|mailto:)/i

/** Some texts cost the lexer the square of their length; longer ones are shown unformatted. */
const MAX_LEXED_LENGTH = 10_000

/**
 * Renders Markdown as elements of React. Nothing becomes HTML: tags are shown as text, links lead to the web and to mail
 * alone, and foreign images are named instead of loaded.
 */
export const Markdown = ({ text }: { text: string }) => {
  const tokens = useMemo(() => {
    if (text.length > MAX_LEXED_LENGTH) return undefined
    try {
      return lexer(text)
    } catch {
      return undefined
    }
  }, [text])
  return (
    <div className="prose" dir="auto">
      {tokens === undefined ? (
        <p style={{ whiteSpace: 'pre-wrap' }}>{visible(text)}</p>
      ) : (
        blocks(tokens)
      )}
    </div>
  )
}

const blocks = (tokens: readonly Token[]): ReactNode[] =>
  // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no names, and never move
  tokens.map((token, index) => <Block key={index} token={token} />)

const Block = ({ token }: { token: Token }): ReactNode => {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'hr':
      return <hr />
    case 'heading':
      return (token as Tokens.Heading).depth < 3 ? (
        <h3>{inline(token.tokens)}</h3>
      ) : (
        <h4>{inline(token.tokens)}</h4>
      )
    case 'code':
      return (
        <pre>
          <code>{visible((token as Tokens.Code).text)}</code>
        </pre>
      )
    case 'blockquote':
      return <blockquote>{blocks(token.tokens ?? [])}</blockquote>
    case 'list': {
      const { ordered, start, items } = token as Tokens.List
      const entries = items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no names, and never move
        <li key={index}>
          {item.task && <input type="checkbox" checked={item.checked ?? false} readOnly disabled />}{' '}
          {blocks(item.tokens)}
        </li>
      ))
      return ordered ? <ol start={Number(start) || 1}>{entries}</ol> : <ul>{entries}</ul>
    }
    case 'table': {
      const { header, rows } = token as Tokens.Table
      return (
        <table>
          <thead>
            <tr>
              {header.map((cell, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells have no names
                <th key={index}>{inline(cell.tokens)}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no names
              <tr key={index}>
                {row.map((cell, place) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: cells have no names
                  <td key={place}>{inline(cell.tokens)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )
    }
    case 'paragraph':
      return <p>{inline(token.tokens)}</p>
    case 'text':
      return token.tokens === undefined ? lines(token.text as string) : inline(token.tokens)
    default:
      // HTML above all is shown as it was written.
      return <p style={{ whiteSpace: 'pre-wrap' }}>{visible(token.raw)}</p>
  }
}

const inline = (tokens: readonly Token[] | undefined): ReactNode[] =>
  // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no names, and never move
  (tokens ?? []).map((token, index) => <Inline key={index} token={token} />)

const Inline = ({ token }: { token: Token }): ReactNode => {
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token.tokens)}</strong>
    case 'em':
      return <em>{inline(token.tokens)}</em>
    case 'del':
      return <del>{inline(token.tokens)}</del>
    case 'codespan':
      return <code>{visible(token.text as string)}</code>
    case 'br':
      return <br />
    case 'link': {
      const { href } = token as Tokens.Link
      if (!LINKED.test(href)) return visible(token.raw)
      return (
        <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
          {inline(token.tokens)}
        </a>
      )
    }
    case 'image': {
      const { href, text } = token as Tokens.Image
      return (
        <span className="tag" title="Images of elsewhere are not loaded">
          image: {visible(text || href)} ({visible(href.slice(0, 200))})
        </span>
      )
    }
    case 'escape':
      return visible(token.text as string)
    case 'text':
      return token.tokens === undefined ? lines(token.text as string) : inline(token.tokens)
    default:
      return visible(token.raw)
  }
}

/** Keeps the line breaks inside of a paragraph, as they were typed. */
const lines = (text: string): ReactNode[] =>
  unescaped(text)
    .split('\n')
    .flatMap((one, index) =>
      // biome-ignore lint/suspicious/noArrayIndexKey: lines have no names
      index === 0 ? [visible(one)] : [<br key={index} />, visible(one)],
    )

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** Undoes the lexer's HTML escapes. */
const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '')
