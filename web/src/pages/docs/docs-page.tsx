import { at, serviceUrl } from '../../format/base.js'
import './docs.css'
import '../../values/values.css'
import { lexer, type Token, type Tokens } from 'marked'
import { useEffect, useMemo } from 'react'
import { Link, useLocation } from 'wouter'
import { anchorsOf } from '../../format/anchors.js'
import { MarkdownPage, type PageRules } from '../../values/markdown.js'
import { FILES, PICTURES } from './doc-files.js'
import { addressOf, fileOf, resolveLink, withAddress } from './doc-paths.js'

/** The documentation that was built with the UI. It needs no session and no network. */
export const DocsPage = () => {
  const [location] = useLocation()
  const file = fileOf(location, FILES)
  const tokens = useMemo(() => lexer(FILES.get(file ?? '') ?? ''), [file])
  const rules = useMemo(() => rulesOf(file ?? '', tokens), [file, tokens])
  useEffect(() => {
    const heading = tokens.find(({ type }) => type === 'heading') as Tokens.Heading | undefined
    document.title = `${heading?.text ?? 'Page not found'} · Stepwell`
    const anchor = decodeURIComponent(window.location.hash.slice(1))
    if (anchor === '') window.scrollTo(0, 0)
    else document.getElementById(anchor)?.scrollIntoView()
  }, [tokens])
  return (
    <div className="docs">
      <header className="docs-head">
        <a href={at('/')}>Stepwell</a>
        <Link href="/docs">Documentation</Link>
      </header>
      <details className="docs-narrow">
        <summary>All pages</summary>
        <Contents current={file} key={file} />
      </details>
      <nav className="docs-wide" aria-label="Documentation">
        <Contents current={file} />
      </nav>
      <main className="docs-text" id="content">
        {file === undefined ? (
          <>
            <h1>Page not found</h1>
            <p>
              No page of the documentation has this address. <Link href="/docs">All pages</Link>
            </p>
          </>
        ) : (
          <MarkdownPage tokens={tokens} rules={rules} key={file} />
        )}
      </main>
    </div>
  )
}

const rulesOf = (file: string, tokens: readonly Token[]): PageRules => {
  const headings = tokens.filter(({ type }) => type === 'heading')
  const anchors = anchorsOf(tokens)
  return {
    anchor: (heading) => anchors[headings.indexOf(heading)],
    link: (href) => {
      if (href.startsWith('#')) return href
      const { file: target, anchor } = resolveLink(file, href)
      if (!FILES.has(target)) return undefined
      return `${addressOf(target)}${anchor === '' ? '' : `#${anchor}`}`
    },
    picture: (href) => PICTURES.get(resolveLink(file, href).file),
    code: (text) => withAddress(text, serviceUrl()),
  }
}

/** The index, as its page has it. */
const Contents = ({ current }: { current: string | undefined }) => (
  <>
    {GROUPS.map(({ name, pages }) => (
      <section key={name}>
        <h2>{name}</h2>
        {pages.map(({ file, title }) => (
          <Link
            key={file}
            href={addressOf(file)}
            aria-current={file === current ? 'page' : undefined}
          >
            {title}
          </Link>
        ))}
      </section>
    ))}
  </>
)

interface Group {
  name: string
  pages: { file: string; title: string }[]
}

const GROUPS: readonly Group[] = (() => {
  const groups: Group[] = [
    {
      name: 'Start',
      pages: [
        { file: 'quick-start.md', title: 'Quick start' },
        { file: 'concepts.md', title: 'Concepts' },
      ],
    },
  ]
  for (const token of lexer(FILES.get('README.md') ?? '')) {
    if (token.type === 'heading' && token.depth === 2)
      groups.push({ name: token.text as string, pages: [] })
    if (token.type === 'list')
      for (const { text } of (token as Tokens.List).items) {
        const [, title = '', file = ''] = /\[(.+?)\]\((.+?)\)/.exec(text) ?? []
        groups.at(-1)?.pages.push({ file, title })
      }
  }
  return groups
})()
