import { lexer, type Token, type Tokens, walkTokens } from 'marked'
import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { Link } from 'wouter'
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
      return withDefinitions(lexer(text))
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

/**
 * Turns definitions of addresses into texts, unless a link shows where it leads: Markdown hides them all, and with them
 * lines such as `[ERROR]: timeout`.
 */
const withDefinitions = (tokens: Token[]): Token[] => {
  const linked = new Set<string>()
  const definitions: Token[] = []
  walkTokens(tokens, (token) => {
    if (token.type === 'link' && LINKED.test(token.href)) linked.add(token.href)
    if (token.type === 'def') definitions.push(token)
  })
  for (const token of definitions)
    if (!linked.has((token as Tokens.Def).href)) token.type = 'written'
  return tokens
}

/** Abilities of the documentation's pages that recorded texts must not have. */
export interface PageRules {
  /** The anchor of a heading. */
  anchor: (heading: Token) => string | undefined
  /** The address of a page or anchor of this documentation; undefined for any other. */
  link: (href: string) => string | undefined
  /** The address of a picture that is served with the page. */
  picture: (href: string) => string | undefined
  /** A block of code as it is shown. */
  code: (text: string) => string
}

const Rules = createContext<PageRules | undefined>(undefined)

/** Renders Markdown of our own: with anchors, links between pages, and pictures. */
export const MarkdownPage = ({ tokens, rules }: { tokens: readonly Token[]; rules: PageRules }) => (
  <Rules value={rules}>
    <article className="prose">{blocks(tokens)}</article>
  </Rules>
)

const blocks = (tokens: readonly Token[]): ReactNode[] =>
  // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no names, and never move
  tokens.map((token, index) => <Block key={index} token={token} />)

const Block = ({ token }: { token: Token }): ReactNode => {
  const rules = useContext(Rules)
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'hr':
      return <hr />
    case 'heading': {
      if (rules !== undefined) {
        const Heading = `h${Math.min((token as Tokens.Heading).depth, 4)}` as 'h1'
        return <Heading id={rules.anchor(token)}>{inline(token.tokens)}</Heading>
      }
      return (token as Tokens.Heading).depth < 3 ? (
        <h3>{inline(token.tokens)}</h3>
      ) : (
        <h4>{inline(token.tokens)}</h4>
      )
    }
    case 'code':
      return (
        <pre>
          <code>{visible(shownCode((token as Tokens.Code).text, rules))}</code>
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
                  <td key={place} data-label={visible(header[place]?.text ?? '')}>
                    {inline(cell.tokens)}
                  </td>
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
      return token.tokens === undefined ? (
        <Lines text={token.text as string} />
      ) : (
        inline(token.tokens)
      )
    default:
      // HTML blocks above all, and definitions, are shown as they were written.
      return <p style={{ whiteSpace: 'pre-wrap' }}>{visible(token.raw)}</p>
  }
}

/** Code up to this length, such as `--public-url`, stays on one line: browsers break behind hyphens. */
const MAX_UNBROKEN_CHARACTERS = 28

const shownCode = (text: string, rules: PageRules | undefined): string =>
  rules === undefined ? text : rules.code(text)

const inline = (tokens: readonly Token[] | undefined): ReactNode[] =>
  // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no names, and never move
  (tokens ?? []).map((token, index) => <Inline key={index} token={token} />)

const Inline = ({ token }: { token: Token }): ReactNode => {
  const rules = useContext(Rules)
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token.tokens)}</strong>
    case 'em':
      return <em>{inline(token.tokens)}</em>
    case 'del':
      return <del>{inline(token.tokens)}</del>
    case 'codespan':
      return (
        <code className={token.text.length <= MAX_UNBROKEN_CHARACTERS ? 'unbroken' : undefined}>
          {visible(token.text as string)}
        </code>
      )
    case 'br':
      return <br />
    case 'link': {
      const { href } = token as Tokens.Link
      if (rules !== undefined && !LINKED.test(href)) {
        const target = rules.link(href)
        if (target === undefined) return inline(token.tokens)
        return target.startsWith('#') ? (
          <a href={target}>{inline(token.tokens)}</a>
        ) : (
          <Link href={target}>{inline(token.tokens)}</Link>
        )
      }
      if (!LINKED.test(href)) return visible(token.raw)
      return (
        <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
          {inline(token.tokens)}
        </a>
      )
    }
    case 'image': {
      const { href, text } = token as Tokens.Image
      const picture = rules?.picture(href)
      if (picture !== undefined) return <img src={picture} alt={text} />
      return (
        <span className="tag" title="Images from elsewhere are not loaded">
          image: {visible(text || href)} ({visible(href.slice(0, 200))})
        </span>
      )
    }
    case 'escape':
      return visible(token.text as string)
    case 'text':
      return token.tokens === undefined ? (
        <Lines text={token.text as string} />
      ) : (
        inline(token.tokens)
      )
    default:
      return visible(token.raw)
  }
}

/** Keeps the line breaks inside of a recorded paragraph, as they were typed. */
const Lines = ({ text }: { text: string }): ReactNode =>
  useContext(Rules) === undefined
    ? unescaped(text)
        .split('\n')
        .flatMap((one, index) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no names
          index === 0 ? [visible(one)] : [<br key={index} />, visible(one)],
        )
    : unescaped(text)

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** Undoes the lexer's HTML escapes. */
const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '')
