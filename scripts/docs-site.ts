// Writes the documentation as a static site: `npm run docs`, into dist.docs. The same files that the service shows at /docs; pages
// work from any folder of any host, without scripts.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { Marked, type Tokens } from 'marked'
import { anchorsOf } from '../web/src/format/anchors.js'
import { resolveLink } from '../web/src/pages/docs/doc-paths.js'

const root = join(import.meta.dirname, '..')
const docs = join(root, 'docs')
const out = join(root, 'dist.docs')

const files = readdirSync(docs, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.md'))
const known = new Set(files)
const pageOf = (file: string) =>
  file.replace(/(^|\/)README\.md$/, '$1index.html').replace(/\.md$/, '.html')
const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

const STYLE = `:root{color-scheme:light dark;--bg:light-dark(#fff,#16181d);--fg:light-dark(#1a1d21,#e8eaed);--line:light-dark(#d9dde3,#30353d);--sunken:light-dark(#eef0f3,#101216)}
body{margin:0 auto;padding:16px;max-width:88ch;background:var(--bg);color:var(--fg);font:16px/1.55 system-ui,sans-serif;overflow-wrap:break-word}
a{color:inherit}pre{overflow-x:auto;padding:8px}pre,code{background:var(--sunken);font-family:ui-monospace,monospace;font-size:14px}
table{display:block;overflow-x:auto;border-collapse:collapse}td,th{border:1px solid var(--line);padding:2px 8px;text-align:left}img{max-width:100%;height:auto}`

/** Returns a page in HTML, with links to the other pages. */
const render = (file: string): string => {
  const here = posix.dirname(pageOf(file))
  const marked = new Marked()
  const tokens = marked.lexer(readFileSync(join(docs, file), 'utf8'))
  const headings = tokens.filter(({ type }) => type === 'heading')
  const anchors = anchorsOf(tokens)
  marked.use({
    renderer: {
      heading(token) {
        const id = anchors[headings.indexOf(token)] ?? ''
        return `<h${token.depth} id="${escaped(id)}">${this.parser.parseInline(token.tokens)}</h${token.depth}>\n`
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        if (/^(https?:|mailto:|#)/.test(href)) return `<a href="${escaped(href)}">${text}</a>`
        const { file: target, anchor } = resolveLink(file, href)
        // Files of the repository are not part of the site.
        if (!known.has(target)) return text
        const path = posix.relative(here, pageOf(target))
        return `<a href="${escaped(path)}${anchor === '' ? '' : `#${escaped(anchor)}`}">${text}</a>`
      },
    },
  })
  const title = (headings[0] as Tokens.Heading | undefined)?.text ?? 'Stepwell'
  const index = posix.relative(here, 'index.html')
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Stepwell</title>
<style>${STYLE}</style>
<nav><a href="${index}">Stepwell: all pages</a></nav>
<main>
${marked.parser(tokens)}</main>
</html>
`
}

rmSync(out, { recursive: true, force: true })
for (const file of files) {
  const path = join(out, pageOf(file))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, render(file))
}
cpSync(join(docs, 'pictures'), join(out, 'pictures'), { recursive: true })
console.log(`${files.length} pages in ${out}`)
